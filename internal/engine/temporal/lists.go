package temporal

import (
	"encoding/binary"
	"math"
	mathbits "math/bits"
	"slices"
)

// packedBlock has the targets of a block in groups of states. Neighbours are found from neighbours,
// so the same step leads from them to states whose numbers are near to each other. Where the states
// of a group have the same marks, a target is the distance from the least one with its place in the
// list, in as many bits as the largest distance of the place needs (Goldstein, Ramakrishnan, Shaft:
// Compressing relations and indexes). In other groups it is a number in whole bytes.
type packedBlock struct {
	groups []group
	data   []byte // of one group after the other
	width  int    // of a target in whole bytes
}

const (
	groupBits   = 5
	groupStates = 1 << groupBits
)

// group is where the lists of some states are. With the same marks there are the places: each the
// least target, then where the distance begins in a row, and its bits; then the rows of the states.
// With different ones each state has the number of edges before its own, and the number of its
// marks; then follow the targets.
type group struct {
	at    uint32 // in the data
	marks uint32 // their number, or differ
	row   uint32 // bits of a row
}

// differ is no number of marks.
const differ = math.MaxUint32

const (
	placeBytes = 8
	stateBytes = 8
	longestRow = 1 << 15 // bits
	spare      = 8       // bytes behind the data: a number is read with what follows it
)

func (p *packedBlock) bytes() int64 { return int64(cap(p.data)) + 12*int64(cap(p.groups)) }

// packer packs blocks, in memory that it uses again.
type packer struct {
	from   growing
	places []place // of the group
	groups []group
	data   []byte
	width  int
}

// place is what is known of the targets at one place of lists.
type place struct {
	least, most uint32
	bits        int // of a distance
}

// pack packs a block.
func (p *packer) pack(from growing, marks *shared) *packedBlock {
	p.from, p.groups, p.data = from, p.groups[:0], p.data[:0]
	largest := uint32(0)
	for _, to := range from.to {
		largest = max(largest, to)
	}
	p.width = max(1, (mathbits.Len32(largest)+7)/8)
	for at := 0; at < len(from.first); at += groupStates {
		end := min(at+groupStates, len(from.first))
		if !p.alike(at, end, len(marks.of(from.marks[at]))) {
			p.apart(at, end)
		}
	}
	data := make([]byte, len(p.data)+spare)
	copy(data, p.data)
	return &packedBlock{slices.Clone(p.groups), data, p.width}
}

// edgesOf is where the targets of some states are.
func (p *packer) edgesOf(at, end int) (from, to int) {
	if from, to = int(p.from.first[at]), len(p.from.to); end < len(p.from.first) {
		to = int(p.from.first[end])
	}
	return from, to
}

// alike packs a group of states with the same marks, as many as there are places, if it is shorter
// so.
func (p *packer) alike(at, end, places int) bool {
	for _, m := range p.from.marks[at+1 : end] {
		if m != p.from.marks[at] {
			return false
		}
	}
	from, to := p.edgesOf(at, end)
	targets := p.from.to[from:to]
	p.places = p.places[:0]
	for _, t := range targets[:places] {
		p.places = append(p.places, place{least: t, most: t})
	}
	for rest := targets[places:]; len(rest) > 0; rest = rest[places:] {
		for i, t := range rest[:places] {
			of := &p.places[i]
			of.least, of.most = min(of.least, t), max(of.most, t)
		}
	}
	row := 0
	for i := range p.places {
		of := &p.places[i]
		of.bits = mathbits.Len32(of.most - of.least)
		row += of.bits
	}
	size := places*placeBytes + (row*(end-at)+7)/8
	if row > longestRow || size > p.width*len(targets)+(end-at)*stateBytes {
		return false
	}
	p.groups = append(p.groups, group{uint32(len(p.data)), p.from.marks[at], uint32(row)})
	off := uint64(0)
	for _, of := range p.places {
		p.data = binary.LittleEndian.AppendUint64(p.data,
			uint64(of.least)|off<<32|uint64(of.bits)<<48)
		off += uint64(of.bits)
	}
	p.rows(targets)
	return true
}

// rows appends the distances of targets.
func (p *packer) rows(targets []uint32) {
	word, filled := uint64(0), 0
	for ; len(targets) > 0; targets = targets[len(p.places):] {
		for i, of := range p.places {
			word |= uint64(targets[i]-of.least) << filled
			if filled += of.bits; filled >= 32 {
				p.data = binary.LittleEndian.AppendUint32(p.data, uint32(word))
				word, filled = word>>32, filled-32
			}
		}
	}
	for ; filled > 0; filled -= 8 {
		p.data = append(p.data, byte(word))
		word >>= 8
	}
}

// apart packs a group of states with different marks.
func (p *packer) apart(at, end int) {
	p.groups = append(p.groups, group{at: uint32(len(p.data)), marks: differ})
	from, to := p.edgesOf(at, end)
	for i := at; i < end; i++ {
		p.data = binary.LittleEndian.AppendUint32(p.data, p.from.first[i]-uint32(from))
		p.data = binary.LittleEndian.AppendUint32(p.data, p.from.marks[i])
	}
	for range groupStates - (end - at) {
		p.data = binary.LittleEndian.AppendUint64(p.data, 0)
	}
	for _, t := range p.from.to[from:to] {
		var bytes [fullWidth]byte
		binary.LittleEndian.PutUint32(bytes[:], t)
		p.data = append(p.data, bytes[:p.width]...)
	}
}

// list is the list of the state with a number in the block.
func (p *packedBlock) list(i uint32, marks *shared) list {
	g := &p.groups[i>>groupBits]
	data, k := p.data[g.at:], i%groupStates
	if g.marks != differ {
		m := marks.of(g.marks)
		return list{marks: m, data: data, row: len(m)*placeBytes*8 + int(k*g.row)}
	}
	of := binary.LittleEndian.Uint64(data[k*stateBytes:])
	return list{marks: marks.of(uint32(of >> 32)),
		data:  data[groupStates*stateBytes+int(uint32(of))*p.width:],
		width: p.width, bits: math.MaxUint32 >> (32 - 8*p.width)}
}

// list are the edges of a state.
type list struct {
	marks []uint32
	data  []byte
	width int    // of a target in whole bytes, 0 for a row
	bits  uint32 // of a target
	row   int    // where the row begins, in bits
}

// to is the target of an edge.
func (l *list) to(i int) uint32 {
	if l.width > 0 {
		return binary.LittleEndian.Uint32(l.data[i*l.width:]) & l.bits
	}
	of := binary.LittleEndian.Uint64(l.data[i*placeBytes:])
	at := l.row + int(of>>32&math.MaxUint16)
	distance := binary.LittleEndian.Uint64(l.data[at>>3:]) >> (at & 7) & (1<<(of>>48) - 1)
	return uint32(of) + uint32(distance)
}

// edge is an edge, the mark in the high half.
func (l *list) edge(i int) uint64 { return uint64(l.marks[i])<<32 | uint64(l.to(i)) }
