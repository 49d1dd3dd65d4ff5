package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Log keeps states on disk in the order of their numbers. It only grows, so that saving a search again writes nothing but
// what is new. What a writer had not finished lies behind the count, and is written over.
type Log struct {
	words           int
	count           int
	digest          uint64 // of all states and parents
	keyFile, upFile *os.File
	buf             []byte
}

const (
	keyName = "states"
	upName  = "parents"
)

// NewLog makes an empty log in a folder, for keys of so many words.
func NewLog(dir string, words int) (*Log, error) {
	return openLog(dir, words, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func openLog(dir string, words, flags int) (*Log, error) {
	keys, err := os.OpenFile(filepath.Join(dir, keyName), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of states: %w", err)
	}
	up, err := os.OpenFile(filepath.Join(dir, upName), flags, 0o600)
	if err != nil {
		_ = keys.Close()
		return nil, fmt.Errorf("opening the log of states: %w", err)
	}
	return &Log{words: words, keyFile: keys, upFile: up}, nil
}

// OpenLog opens a log that was written before. It is empty until Load.
func OpenLog(dir string, words int) (*Log, error) { return openLog(dir, words, os.O_RDWR) }

// Load reads count states that were written before, and calls use with them in pieces. The digest is the one that the log
// had with so many states.
func (l *Log) Load(count int, digest uint64, use func(states []uint64, parents []uint32) error) error {
	var keys []uint64
	var parents []uint32
	for l.count < count {
		var err error
		from, to := l.count, min(count, l.count+1<<12)
		if keys, err = l.keys(from, to, keys[:0]); err != nil {
			return err
		}
		if parents, err = l.parents(from, to, parents[:0]); err != nil {
			return err
		}
		l.count, l.digest = to, extend(l.digest, l.words, keys, parents)
		if err := use(keys, parents); err != nil {
			return err
		}
	}
	if l.digest != digest {
		return errors.New("the saved states are damaged")
	}
	return nil
}

// Close closes the files.
func (l *Log) Close() error {
	err := l.keyFile.Close()
	if err2 := l.upFile.Close(); err == nil {
		err = err2
	}
	return err
}

// Len and Digest identify what the log holds.
func (l *Log) Len() int       { return l.count }
func (l *Log) Digest() uint64 { return l.digest }

// extend adds states to a digest.
func extend(d uint64, words int, keys []uint64, parents []uint32) uint64 {
	for i, p := range parents {
		d = mix(d^mixA, Hash(keys[i*words:(i+1)*words])^mixB) + d*mixC + uint64(p)
	}
	return d
}

// append writes states behind the last. After an error the log is as it was.
func (l *Log) append(keys []uint64, parents []uint32) error {
	l.buf = l.buf[:0]
	for _, k := range keys {
		l.buf = binary.LittleEndian.AppendUint64(l.buf, k)
	}
	if _, err := l.keyFile.WriteAt(l.buf, int64(l.count)*int64(l.words)*8); err != nil {
		return fmt.Errorf("writing states: %w", err)
	}
	l.buf = l.buf[:0]
	for _, p := range parents {
		l.buf = binary.LittleEndian.AppendUint32(l.buf, p)
	}
	if _, err := l.upFile.WriteAt(l.buf, int64(l.count)*4); err != nil {
		return fmt.Errorf("writing states: %w", err)
	}
	l.digest = extend(l.digest, l.words, keys, parents)
	l.count += len(parents)
	return nil
}

// Sync waits until the disk has all.
func (l *Log) Sync() error {
	if err := l.keyFile.Sync(); err != nil {
		return fmt.Errorf("saving states: %w", err)
	}
	if err := l.upFile.Sync(); err != nil {
		return fmt.Errorf("saving states: %w", err)
	}
	return nil
}

func (l *Log) keys(from, to int, into []uint64) ([]uint64, error) {
	raw, err := read(l.keyFile, from*l.words, to*l.words, 8)
	for i := 0; i < len(raw); i += 8 {
		into = append(into, binary.LittleEndian.Uint64(raw[i:]))
	}
	return into, err
}

func (l *Log) parents(from, to int, into []uint32) ([]uint32, error) {
	raw, err := read(l.upFile, from, to, 4)
	for i := 0; i < len(raw); i += 4 {
		into = append(into, binary.LittleEndian.Uint32(raw[i:]))
	}
	return into, err
}

func (l *Log) parent(number int) (uint32, error) {
	p, err := l.parents(number, number+1, nil)
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// read gets items of a size from a file.
func read(f io.ReaderAt, from, to, size int) ([]byte, error) {
	raw := make([]byte, (to-from)*size)
	if _, err := f.ReadAt(raw, int64(from)*int64(size)); err != nil {
		return nil, fmt.Errorf("reading saved states: %w", err)
	}
	return raw, nil
}

// KeepLog lets the store write to a log, which holds the states it has already, or is empty.
func (s *Store) KeepLog(l *Log) { s.log = l }

// Log is the log that the store writes to, nil if there is none.
func (s *Store) Log() *Log { return s.log }

// Save writes all states that the log does not hold yet.
func (s *Store) Save() error {
	var parents []uint32
	var buf []uint64
	for s.log.count < s.count {
		from := s.log.count
		to := min(s.count, from+1<<12)
		keys, err := s.Keys(from, to, &buf)
		if err != nil {
			return err
		}
		parents = parents[:0]
		for i := from; i < to; i++ {
			parents = append(parents, s.parents.at(i - s.base)[0])
		}
		if err := s.log.append(keys, parents); err != nil {
			return err
		}
	}
	return nil
}
