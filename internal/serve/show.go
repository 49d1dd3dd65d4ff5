package serve

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/result"
)

// ErrOther says that the file has another text than the one that is to be shown.
var ErrOther = errors.New("the file has another text")

// Show gives the address of a state of the file: the initial one or, with a result, the last one of
// its run. The text is what the caller takes for the text of the file.
func (s *Server) Show(text string, r *result.Result) (string, error) {
	_, now, err := s.read(s.file)
	if err != nil {
		return "", err
	}
	if now != text {
		return "", ErrOther
	}
	address := s.Address() + "&view=state"
	if r == nil {
		return address, nil
	}
	run, err := s.service.Keep(context.Background(), s.file, []result.Result{*r})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s&run=%d&result=0", address, run), nil
}
