package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"
)

// trail is the offset at which a chain of records ends or stops.
type trail struct {
	at   int
	ends bool
}

// trail follows the records from p + 28 on, even past the end of the file (KDB-045).
func (r *file) trail(p int) trail {
	x := p + 28
	if r.headerAt(x) {
		return trail{x, true}
	}
	var seen []int
	var res trail
	for {
		if v, ok := r.chain[x]; ok {
			res = v
			break
		}
		if x+5 > r.N {
			res = trail{x, false}
			break
		}
		s := int(int32(binary.BigEndian.Uint32(r.d[x:])))
		if s < 5 || r.d[x+4] != 1 {
			res = trail{x, false}
			break
		}
		seen = append(seen, x)
		x += s
		if r.inStep(x) {
			res = trail{x, true}
			break
		}
	}
	for _, s := range seen {
		r.chain[s] = res
	}
	return res
}

// chainEnd returns the end of the chain of p up to limit, or -1 (KDB-045).
func (r *file) chainEnd(p, limit int) int {
	t := r.trail(p)
	if !t.ends || t.at > limit || t.at == p+28 && t.at == limit {
		return -1
	}
	return t.at
}

func (r *file) plausible(q int) bool { // KDB-046; requires the header at q
	k := r.ctl(q)
	if !k.possible || !r.inStep(k.c) {
		return false
	}
	return r.marked(k.c) || r.confirmed(k)
}

// confirmed returns whether the checksum or the records of a batch lead to its end.
func (r *file) confirmed(k ctl) bool { // KDB-046
	if k.checked {
		return r.holds(k, k.c)
	}
	return k.size == 0 || r.chainEnd(k.p, k.c) == k.c
}

// proven returns whether the checksum alone confirms the batch at q, which must begin with a header.
func (r *file) proven(q int) bool { // KDB-046
	k := r.ctl(q)
	return k.possible && k.size > 0 && r.holds(k, k.c)
}

// nextPlausible returns the first plausible batch at or after x, or -1.
func (r *file) nextPlausible(x int) int { return r.search(&r.plaus, x, r.plausible) }

// nextPlace returns the first plausible or proven batch at or after x, or -1.
func (r *file) nextPlace(x int) int {
	return r.search(&r.place, x, func(q int) bool { return r.plausible(q) || r.proven(q) })
}

// memo caches the results of a search for each header.
type memo struct {
	is   []int8 // 0 unknown, 1 yes, 2 no
	next []int  // index of the next match, or -1
}

// scanned returns the offsets of all headers. It scans the file only once.
func (r *file) scanned() []int {
	if !r.scan {
		r.scan = true
		magic := header[5:]
		for i := 0; ; {
			j := bytes.Index(r.d[i:], magic)
			if j < 0 {
				break
			}
			h := i + j - 5
			if h >= 0 && r.headerAt(h) {
				r.heads = append(r.heads, h)
			}
			i += j + len(magic)
		}
	}
	return r.heads
}

// reach returns the largest batch end that a header in [from, to) states, or 0 (KDB-051).
func (r *file) reach(from, to int) int {
	heads, c := r.scanned(), 0
	for i := sort.SearchInts(heads, from); i < len(heads) && heads[i] < to; i++ {
		c = max(c, r.ctl(heads[i]).c)
	}
	return c
}

func (r *file) search(m *memo, x int, is func(int) bool) int {
	n := len(r.scanned())
	if m.is == nil {
		m.is = make([]int8, n)
		m.next = make([]int, n)
		for i := range m.next {
			m.next[i] = -1
		}
	}
	i := sort.SearchInts(r.heads, x)
	var seen []int
	for i < n {
		if m.is[i] == 0 {
			m.is[i] = 2
			if is(r.heads[i]) {
				m.is[i] = 1
			}
		}
		if m.is[i] == 1 {
			break
		}
		seen = append(seen, i)
		if m.next[i] >= 0 {
			i = m.next[i]
		} else {
			i++
		}
	}
	for _, s := range seen {
		m.next[s] = i
	}
	if i >= n {
		return -1
	}
	return r.heads[i]
}

// covers returns whether a plausible batch that begins in [from, c) ends after c or has fill at its end (check 11).
// The ends are in a tree, so nested batches do not take quadratic time (KDB-053).
func (r *file) covers(from, c int) bool {
	heads := r.scanned()
	n := len(heads)
	if r.ends == nil {
		r.ends = make([]int, 2*n)
		for i, q := range heads {
			if r.plausible(q) {
				r.ends[n+i] = r.ctl(q).c
				if r.fillAt(r.ends[n+i]) {
					r.ends[n+i] = math.MaxInt
				}
			}
		}
		for i := n - 1; i > 0; i-- {
			r.ends[i] = max(r.ends[2*i], r.ends[2*i+1])
		}
	}
	largest := 0
	i, j := n+sort.SearchInts(heads, from), n+sort.SearchInts(heads, c)
	for ; i < j; i, j = i/2, j/2 {
		if i%2 == 1 {
			largest = max(largest, r.ends[i])
			i++
		}
		if j%2 == 1 {
			j--
			largest = max(largest, r.ends[j])
		}
	}
	return largest > c
}

func (r *file) plausibleIn(from, to int) int {
	if q := r.nextPlausible(from); q >= 0 && q < to {
		return q
	}
	return -1
}

func (r *file) lose(from, to int, code string, torn bool) {
	r.items = append(r.items, item{lost: &lostRange{from, to, code, torn}})
}

// fills returns whether the records of an unchecked batch fill it exactly (KDB-037).
func (r *file) fills(k ctl) bool {
	x := k.p + 28
	for x < k.c {
		if k.c-x < 5 || r.headerAt(x) {
			return false
		}
		s := int(int32(binary.BigEndian.Uint32(r.d[x:])))
		if s < 5 || s > k.c-x {
			return false
		}
		x += s
	}
	return true
}

func (r *file) records(k ctl) {
	for x := k.p + 28; x < k.c; {
		if k.c-x < 5 {
			r.lose(x, k.c, "bad-record", false)
			return
		}
		s := int(int32(binary.BigEndian.Uint32(r.d[x:])))
		if s < 5 || s > k.c-x {
			r.lose(x, k.c, "bad-record", false)
			return
		}
		if t := int(r.d[x+4]); t == 1 {
			r.items = append(r.items, item{rec: &rec{x, s, t, k.p}})
		} else {
			r.lose(x, x+s, "unknown-type", false)
		}
		x += s
	}
}
