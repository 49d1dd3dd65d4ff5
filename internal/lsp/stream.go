package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// messages is the stream of a client's messages. A message that cannot be read is answered with an
// error, and the next one is read: the header says where it ends, whatever is in it.
type messages struct {
	jsonrpc2.ObjectStream
	in *bufio.Reader
}

func newMessages(stream io.ReadWriteCloser) *messages {
	return &messages{
		jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), bufio.NewReader(stream)}
}

// largestMessage is what a client may send at once; more is taken for a wrong header.
const largestMessage = 1 << 28

// ReadObject implements jsonrpc2.ObjectStream.
func (m *messages) ReadObject(v any) error {
	for {
		body, err := m.body()
		if err != nil {
			return err
		}
		err = json.Unmarshal(body, v)
		if err == nil {
			return nil
		}
		code, what := jsonrpc2.CodeInvalidRequest, "the message is no request: "
		if !json.Valid(body) {
			code, what = jsonrpc2.CodeParseError, "the message is no JSON: "
		}
		refusal := map[string]any{"jsonrpc": "2.0", "id": nil,
			"error": jsonrpc2.Error{Code: int64(code), Message: what + err.Error()}}
		if err := m.WriteObject(refusal); err != nil {
			return fmt.Errorf("answering a broken message: %w", err)
		}
	}
}

// body reads one message behind its header.
func (m *messages) body() ([]byte, error) {
	header, err := textproto.NewReader(m.in).ReadMIMEHeader()
	if err != nil {
		if errors.Is(err, io.EOF) && len(header) == 0 {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("reading a header: %w", err)
	}
	n, err := strconv.ParseUint(header.Get("Content-Length"), 10, 32)
	if err != nil || n > largestMessage {
		return nil, fmt.Errorf("a header has the length %q", header.Get("Content-Length"))
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(m.in, body); err != nil {
		return nil, fmt.Errorf("reading a message: %w", err)
	}
	return body, nil
}
