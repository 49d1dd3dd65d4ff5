package testkit

import (
	"net"
	"testing"
	"time"
)

// Listens waits until a server takes connections at an address.
func Listens(t testing.TB, address string) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); ; {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
