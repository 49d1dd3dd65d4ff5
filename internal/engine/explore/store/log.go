package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
)

// Log keeps states on disk in the order of their numbers. It only grows, so that saving a search
// again writes only the new states. Data behind the count is unfinished and is overwritten.
//
// A sum of each block stays in memory, and is compared whenever the block is read: whole blocks are
// read.
type Log struct {
	words           int
	count           int
	digest          uint64 // of all states and parents
	keyFile, upFile *os.File
	keySums, upSums []uint64 // for each block; for the last block, of its states so far
	buf             []byte
}

// logBlock is the number of states of a block of a log.
const logBlock = 128

const (
	keyName = "states"
	upName  = "parents"
)

// NewLog makes an empty log in a folder, for keys of the given number of words.
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

// OpenLog opens an existing log. It is empty until Load.
func OpenLog(dir string, words int) (*Log, error) { return openLog(dir, words, os.O_RDWR) }

// Load reads the first count states of the log, and calls use with them in pieces. It checks that
// the log had the given digest with this number of states.
func (l *Log) Load(
	count int, digest uint64, use func(states []uint64, parents []uint32) error,
) error {
	var keys []uint64
	var parents []uint32
	for l.count < count {
		var err error
		from, to := l.count, min(count, l.count+1<<12)
		if keys, err = readWords(l.keyFile, from*l.words, to*l.words, keys[:0]); err != nil {
			return err
		}
		if parents, err = readNumbers(l.upFile, from, to, parents[:0]); err != nil {
			return err
		}
		l.extend(keys, parents)
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

// Len and Digest identify the contents of the log.
func (l *Log) Len() int       { return l.count }
func (l *Log) Digest() uint64 { return l.digest }

// extend accounts for states after the last.
func (l *Log) extend(keys []uint64, parents []uint32) {
	for i, p := range parents {
		if l.count%logBlock == 0 {
			l.keySums, l.upSums = append(l.keySums, 0), append(l.upSums, 0)
		}
		hash := Hash(keys[i*l.words : (i+1)*l.words])
		chain(&l.keySums[len(l.keySums)-1], hash)
		chain(&l.upSums[len(l.upSums)-1], uint64(p))
		l.digest = mix(l.digest^mixA, hash^mixB) + l.digest*mixC + uint64(p)
		l.count++
	}
}

// chain adds a number to the sum of a sequence. Any other number in its place gives another sum.
func chain(sum *uint64, v uint64) { *sum = bits.RotateLeft64(*sum, 29)*mixC + v }

// damaged is the error about a file whose contents have changed.
func damaged(f *os.File) error {
	return fmt.Errorf("reading saved states: %s does not hold what was written: the disk or the "+
		"file is damaged", f.Name())
}

// append writes states after the last. After an error the log is unchanged.
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
	l.extend(keys, parents)
	return nil
}

// Sync waits until everything is on disk.
func (l *Log) Sync() error {
	if err := l.keyFile.Sync(); err != nil {
		return fmt.Errorf("saving states: %w", err)
	}
	if err := l.upFile.Sync(); err != nil {
		return fmt.Errorf("saving states: %w", err)
	}
	return nil
}

// keys appends the keys of the states in a range of numbers.
func (l *Log) keys(from, to int, into []uint64) ([]uint64, error) {
	first, last := from/logBlock*logBlock, min(l.count, (to+logBlock-1)/logBlock*logBlock)
	before := len(into)
	into, err := readWords(l.keyFile, first*l.words, last*l.words, into)
	if err != nil {
		return nil, err
	}
	read := into[before:]
	for n := first; n < last; n += logBlock {
		sum := uint64(0)
		for i := n; i < min(n+logBlock, last); i++ {
			chain(&sum, Hash(read[(i-first)*l.words:(i-first+1)*l.words]))
		}
		if sum != l.keySums[n/logBlock] {
			return nil, damaged(l.keyFile)
		}
	}
	copy(read, read[(from-first)*l.words:(to-first)*l.words])
	return into[:before+(to-from)*l.words], nil
}

// parent is the parent of a state, as saved.
func (l *Log) parent(number int) (uint32, error) {
	first := number / logBlock * logBlock
	parents, err := readNumbers(l.upFile, first, min(l.count, first+logBlock), nil)
	if err != nil {
		return 0, err
	}
	sum := uint64(0)
	for _, p := range parents {
		chain(&sum, uint64(p))
	}
	if sum != l.upSums[number/logBlock] {
		return 0, damaged(l.upFile)
	}
	return parents[number-first], nil
}

// readWords appends a range of the words of a file.
func readWords(f *os.File, from, to int, into []uint64) ([]uint64, error) {
	raw, err := read(f, from, to, 8)
	for i := 0; i < len(raw); i += 8 {
		into = append(into, binary.LittleEndian.Uint64(raw[i:]))
	}
	return into, err
}

// readNumbers appends a range of the numbers of a file.
func readNumbers(f *os.File, from, to int, into []uint32) ([]uint32, error) {
	raw, err := read(f, from, to, 4)
	for i := 0; i < len(raw); i += 4 {
		into = append(into, binary.LittleEndian.Uint32(raw[i:]))
	}
	return into, err
}

// read reads a range of items of a size from a file.
func read(f *os.File, from, to, size int) ([]byte, error) {
	raw := make([]byte, (to-from)*size)
	switch n, err := f.ReadAt(raw, int64(from)*int64(size)); {
	case n == len(raw):
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("reading saved states: %s is too short", f.Name())
	default:
		return nil, fmt.Errorf("reading saved states: %w", err)
	}
	return raw, nil
}

// KeepLog lets the store write to a log, which is empty or holds the states of the store.
func (s *Store) KeepLog(l *Log) { s.log = l }

// Log is the log that the store writes to, nil if there is none.
func (s *Store) Log() *Log { return s.log }

// Save writes all states that are not in the log yet.
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
			parents = append(parents, s.parent(i))
		}
		if err := s.log.append(keys, parents); err != nil {
			return err
		}
	}
	return nil
}
