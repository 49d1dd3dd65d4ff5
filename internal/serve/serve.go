// Package serve shows a specification in a browser.
//
// In: a file. Out: an HTTP server on the loopback interface, with a page (the folder page, which is
// part of the program) and the answers of package explorer below a secret path.
//
// The server trusts nobody who does not know its address. The secret is part of every path, so a
// page of another origin cannot name one. A request with a foreign Host is refused (names that are
// bound anew to this machine), and so is one that another origin has caused. Files are opened
// through an os.Root of the file's folder, and symbolic links do not lead out of it.
package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"erelong.dev/erelong/internal/explorer"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/verify"
)

//go:embed page
var page embed.FS

// Page is the page's files. It speaks with whatever the module transport.js reaches.
func Page() fs.FS {
	sub, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// Options of a server.
type Options struct {
	Port      int // 0 for any
	Version   string
	Configure func(*verify.Options) // see explorer.Options
}

// Server serves one folder.
type Server struct {
	service  *explorer.Service
	root     *os.Root
	folder   string
	file     string // the first file, below the folder
	token    string
	listener net.Listener
	http     *http.Server
}

// maxBody is the size of a request in bytes, and maxFile that of a file.
const (
	maxBody = 1 << 20
	maxFile = 8 << 20
)

// New opens the folder of a file, and a port. Close ends both.
func New(file string, o Options) (*Server, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, unreadable(file, err)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no ordinary file", file)
	}
	folder := filepath.Dir(file)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // never fails
	s := &Server{root: root, folder: folder, file: filepath.Base(file),
		token: hex.EncodeToString(secret)}
	s.service = explorer.New(explorer.Options{Version: o.Version, Names: s.names, Read: s.read,
		Configure: o.Configure})
	if _, _, err := s.read(s.file); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if s.listener, err = net.Listen("tcp",
		net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port))); err != nil {
		return nil, errors.Join(fmt.Errorf("opening a port: %w", err), root.Close())
	}
	s.http = &http.Server{Handler: s.guard(s.routes()), ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes: 1 << 16}
	return s, nil
}

// Address is the address of the page, with the secret.
func (s *Server) Address() string {
	return "http://" + s.listener.Addr().String() + s.prefix() + "#file=" + url.QueryEscape(s.file)
}

func (s *Server) prefix() string { return "/" + s.token + "/" }

// Serve answers requests until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	defer stop()
	err := s.http.Serve(s.listener)
	s.service.Close()
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.root.Close())
}

// names lists the files of the folder that a front end reads by their names.
func (s *Server) names() ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("reading the folder: %w", err)
	}
	out := []string{}
	all := front.All()
	last := all[len(all)-1] // accepts every name
	for _, e := range entries {
		own := slices.Contains([]string{".ere", ".pyv"}, filepath.Ext(e.Name()))
		if !e.IsDir() && (own || front.Of(e.Name(), "").Name != last.Name || e.Name() == s.file) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// unreadable says that a file cannot be read, and why. The error of the system names the call that
// failed, such as statat, which is no word of a reader.
func unreadable(file string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("the file %s cannot be read: %w", file, err)
}

// read reads a file of the folder.
func (s *Server) read(file string) (name, text string, err error) {
	if info, err := s.root.Stat(file); err != nil {
		return "", "", unreadable(file, err)
	} else if !info.Mode().IsRegular() { // opening a pipe may wait
		return "", "", fmt.Errorf("%s is no ordinary file", file)
	}
	f, err := s.root.Open(file)
	if err != nil {
		return "", "", unreadable(file, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", "", unreadable(file, err)
	case len(b) > maxFile:
		return "", "", fmt.Errorf("%s has more than %d bytes", file, maxFile)
	}
	return filepath.ToSlash(filepath.Join(s.folder, file)), string(b), nil
}

// guard refuses requests that the page did not make, and sets the headers that keep the page from
// speaking to anybody else.
func (s *Server) guard(next http.Handler) http.Handler {
	own := s.listener.Addr().String()
	_, port, _ := net.SplitHostPort(own)
	hosts := []string{own, net.JoinHostPort("localhost", port)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
				"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		navigation := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
			r.Header.Get("Sec-Fetch-Dest") == "document"
		switch {
		case !slices.Contains(hosts, r.Host):
			http.Error(w, "this is not the server's address", http.StatusForbidden)
		case origin != "" && origin != "http://"+r.Host:
			http.Error(w, "requests of other origins are refused", http.StatusForbidden)
		case site != "" && site != "same-origin" && site != "none" && !navigation:
			http.Error(w, "requests of other sites are refused", http.StatusForbidden)
		case !s.knows(r.URL.Path):
			http.Error(w, "the address lacks the secret that erelong printed", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knows reports whether a path begins with the secret.
func (s *Server) knows(path string) bool {
	first, _, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return ok && subtle.ConstantTimeCompare([]byte(first), []byte(s.token)) == 1
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+s.prefix(), http.StripPrefix(s.prefix(), http.FileServerFS(Page())))
	mux.HandleFunc("POST "+s.prefix()+"api/{word}", s.answer)
	mux.HandleFunc("GET "+s.prefix()+"events/{run}", s.events)
	mux.HandleFunc("GET "+s.prefix()+"report/{run}", s.report)
	return mux
}

// answer answers one request of the page.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		http.Error(w, "a request is JSON", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	code := http.StatusOK
	answer, err := s.service.Answer(r.Context(), r.PathValue("word"), body)
	if err != nil {
		answer = explorer.ProblemOf(err) // of a file or an expression: the page shows it
		if errors.Is(err, explorer.ErrRequest) {
			code = http.StatusBadRequest
		}
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes())
}

// events sends the events of a run as they happen (server-sent events).
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("run"))
	if err != nil {
		http.Error(w, "there is no such run", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	begun := false
	err = s.service.Follow(r.Context(), id, func(e explorer.Event) error {
		begun = true
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
			return err
		}
		return to.Flush()
	})
	if err != nil && !begun && r.Context().Err() == nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
}

// report sends the report of a run: a page that needs no other file.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("run"))
	var b bytes.Buffer
	if err == nil {
		err = s.service.WriteHTML(&b, id)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	// The page has its styles inside, and its own policy besides this one.
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "+
			"frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}
