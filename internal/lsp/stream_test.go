package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"testing"
	"time"
)

// A message that cannot be read is refused, and the session goes on with the next one.
func TestBrokenMessages(t *testing.T) {
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), there, Options{Version: "test"}) }()
	if err := here.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(here)
	send := func(body string) {
		t.Helper()
		_, err := fmt.Fprintf(here, "Content-Length: %d\r\n\r\n%s", len(body), body)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		body string
		code int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, 0},
		{`{"jsonrpc":"2.0","id":2,"method":`, -32700},
		{`}{ and much more that is nothing`, -32700},
		{`[1, 2]`, -32600},
		{`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, 0},
	} {
		send(c.body)
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			t.Fatal(err)
		}
		var got struct {
			ID    *int
			Error struct{ Code int }
		}
		if err := json.Unmarshal(body, &got); err != nil || got.Error.Code != c.code ||
			(got.ID == nil) != (c.code != 0) {
			t.Errorf("%s: %s (%v), want the code %d", c.body, body, err, c.code)
		}
	}
	send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := <-served; err != nil {
		t.Error(err)
	}
}
