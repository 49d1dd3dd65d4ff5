package cli

import (
	"context"
	"errors"
	"sync"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/serve"
	"erelong.dev/erelong/internal/verify"
)

// pages are the pages that an editor has asked for: a server for each file, until ctx ends.
type pages struct {
	ctx       context.Context
	configure func(*verify.Options)

	mu      sync.Mutex
	servers map[string]*serve.Server
}

// explore gives the address at which a page shows a file, or the run of a result.
func (p *pages) explore(file, text string, r *result.Result) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.servers[file]
	if s == nil {
		var err error
		s, err = serve.New(file, serve.Options{Version: Version(), Configure: p.configure})
		if err != nil {
			return "", err
		}
		p.servers[file] = s
		// ends with the editor; nobody is left to tell of an error
		go func() { _ = s.Serve(p.ctx) }()
	}
	address, err := s.Show(text, r)
	if errors.Is(err, serve.ErrOther) {
		return "", errors.New("save the file first: the page shows what is on the disk")
	}
	return address, err
}
