package main

import (
	"bytes"
	"encoding/binary"
)

var (
	header  = []byte("\x00\x00\x00\x1c\x02WRITE BATCH")
	eofRec  = []byte("-qMa4")
	maxSize = int64(2147483614)
)

const mod = 65521

// sums computes the Adler-32 of any range from prefix sums (KDB-053).
type sums struct {
	d []byte
	a []uint32 // sum of bytes before block k
	t []uint32 // sum of the running sums before block k
}

const blk = 256

func (s *sums) at(k int) (uint64, uint64) {
	if s.a == nil {
		s.a, s.t = []uint32{0}, []uint32{0}
	}
	b := k / blk
	for len(s.a) <= b {
		i := len(s.a) - 1
		x, y := uint64(s.a[i]), uint64(s.t[i])
		for _, c := range s.d[i*blk : (i+1)*blk] {
			x += uint64(c)
			y += x
		}
		s.a, s.t = append(s.a, uint32(x%mod)), append(s.t, uint32(y%mod))
	}
	x, y := uint64(s.a[b]), uint64(s.t[b])
	for _, c := range s.d[b*blk : k] {
		x += uint64(c)
		y += x
	}
	return x % mod, y % mod
}

func (s *sums) adler(from, to int) uint32 {
	a0, t0 := s.at(from)
	a1, t1 := s.at(to)
	n := uint64(to-from) % mod
	a := (1 + a1 + mod - a0) % mod
	b := (n + t1 + mod - t0 + mod - (n*a0)%mod) % mod
	return uint32(b<<16 | a)
}

type lostRange struct {
	from, to int
	code     string
	torn     bool // code is one of the torn codes
}

type rec struct{ at, size, typ, batch int }

// item is a record or a lost range. Items are in the order of reading.
type item struct {
	rec  *rec
	lost *lostRange
}

type file struct {
	d     []byte
	N, f  int
	sums  sums
	heads []int // offsets of headers
	scan  bool
	plaus memo  // of the plausible batches
	place memo  // of the plausible and proven batches
	ends  []int // a tree of the largest ends of plausible batches
	chain map[int]trail
	items []item
	end   int // -1: null

	unsettled int // the largest unsettled offset (KDB-051)
}

func newFile(d []byte) *file {
	r := &file{d: d, N: len(d), chain: map[int]trail{}, unsettled: -1}
	r.sums.d = d
	f := r.N
	for f > 0 {
		if d[f-1] == 0 {
			f--
		} else if f >= 5 && bytes.Equal(d[f-5:f], eofRec) {
			f -= 5
		} else {
			break
		}
	}
	r.f = f
	return r
}

func (r *file) fillAt(x int) bool { // KDB-013
	if x == r.N {
		return true
	}
	if x > r.N {
		return false
	}
	if x >= r.f {
		return r.d[x] == 0 || r.d[x] == eofRec[0]
	}
	n := r.f - x
	return n <= 4 && bytes.Equal(r.d[x:r.f], eofRec[5-n:])
}

func (r *file) headerAt(x int) bool { return x+16 <= r.N && bytes.Equal(r.d[x:x+16], header) }
func (r *file) eofAt(x int) bool    { return x+5 <= r.N && bytes.Equal(r.d[x:x+5], eofRec) }
func (r *file) marked(x int) bool   { return r.headerAt(x) || r.eofAt(x) }

func (r *file) inStep(x int) bool { // KDB-031
	if x > r.N {
		return false
	}
	if r.fillAt(x) {
		return true
	}
	if x >= r.f {
		return false
	}
	if r.marked(x) {
		return true
	}
	return r.tornEOF(x) || r.tornHeader(x)
}

func (r *file) tornEOF(x int) bool { // check 3
	n := r.f - x
	return n >= 1 && n <= 4 && bytes.Equal(r.d[x:r.f], eofRec[:n])
}

func (r *file) tornHeader(x int) bool { // check 4
	n := r.f - x
	if n < 1 || n > 15 {
		return false
	}
	d := r.d[x:r.f]
	if bytes.Equal(d, header[:n]) {
		return true
	}
	for k := 1; n == 5 && k <= 4; k++ {
		if bytes.Equal(d[:k], header[:k]) && bytes.Equal(d[k:], eofRec[k:]) {
			return true
		}
	}
	return false
}

// ctl holds the values of the 28 bytes at p, whether or not they begin with the header.
type ctl struct {
	p        int
	possible bool
	size     int64
	c        int // only if possible
	checksum int64
	checked  bool
}

func (r *file) ctl(p int) ctl {
	k := ctl{p: p}
	if p+28 > r.N {
		return k
	}
	k.size = int64(int32(binary.BigEndian.Uint32(r.d[p+16:])))
	k.checksum = int64(binary.BigEndian.Uint64(r.d[p+20:]))
	k.checked = k.checksum > 0
	k.possible = k.size >= 0 && k.size <= maxSize
	if k.possible {
		k.c = p + 28 + int(k.size)
	}
	return k
}

func (r *file) holds(k ctl, x int) bool {
	return k.checked && x <= r.N && x >= k.p+28 && k.checksum == int64(r.sums.adler(k.p+28, x))
}

func (r *file) proof(k ctl, x int) bool { return r.marked(x) || r.holds(k, x) }

func (r *file) unfinished(k ctl) bool {
	return k.possible && r.f < k.c && k.c < r.N && r.d[k.c] == 0
}
