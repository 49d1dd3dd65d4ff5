// Package durable is a register that survives crashes, as an example of a program that is killed,
// recovers from its disk, and whose logs are compared with a specification.
package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"erelong.dev/erelong/trace"
)

// Store is the register: a file with one value a line, of which the last counts.
type Store struct {
	disk *disk
	node *trace.Node
	log  *trace.Log
	last int
	// SkipSync is a planted bug: a value is acknowledged before it is on the disk.
	SkipSync bool
}

// Open recovers the register from a folder, and logs that there.
func Open(folder string) (*Store, error) {
	log, err := trace.Append(filepath.Join(folder, "run.ndjson"))
	if err != nil {
		return nil, err
	}
	d, last, err := openDisk(filepath.Join(folder, "values"))
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	s := &Store{disk: d, log: log, node: log.Node("store"), last: last}
	s.node.Log("recover", nil, trace.Values{"stored": last})
	return s, nil
}

// Last is the value of the register.
func (s *Store) Last() int { return s.last }

// Put sets the register. When it returns, the value survives a crash.
func (s *Store) Put(v int) error {
	s.node.Log("put", trace.Values{"v": v}, nil)
	if err := s.disk.append(v); err != nil {
		return err
	}
	if !s.SkipSync {
		if err := s.disk.sync(); err != nil {
			return err
		}
	}
	s.last = v
	s.node.Log("acknowledge", trace.Values{"v": v}, nil)
	return nil
}

// Close ends the register without a crash.
func (s *Store) Close() error {
	return errors.Join(s.disk.sync(), s.disk.file.Close(), s.log.Close())
}

// disk is a file whose cache is in the process: what the kernel caches would survive kill -9, but
// not the loss of power, which is to be found here. Only sync empties the cache, so that a crash
// loses all that was not synced.
type disk struct {
	file  *os.File
	cache bytes.Buffer
}

// openDisk opens a file, and gives the last value that is complete in it.
func openDisk(path string) (*disk, int, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the register: %w", err)
	}
	last, in, end := 0, bufio.NewReader(f), int64(0)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // a value without the end of its line was never synced
		}
		if err == nil {
			_, err = fmt.Sscan(line, &last)
		}
		if err != nil {
			return nil, 0, errors.Join(fmt.Errorf("reading the register: %w", err), f.Close())
		}
		end += int64(len(line))
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("reading the register: %w", err), f.Close())
	}
	return &disk{file: f}, last, nil
}

func (d *disk) append(v int) error {
	_, err := fmt.Fprintln(&d.cache, v)
	return err
}

func (d *disk) sync() error {
	if _, err := d.cache.WriteTo(d.file); err != nil {
		return err
	}
	return d.file.Sync()
}
