package main

import (
	"bytes"
	"math"
)

// The reason why a record is known to be in a segment.
const (
	unknown = iota
	bySeal
	byNext
	byFlush
)

// known is the known record of a segment (ZBJ-062).
type known struct {
	kind int
	v    int64
	huge bool // 2^63 or more
}

// reaches returns whether e is not above the known record.
func (k known) reaches(e next) bool {
	return k.kind != unknown && (k.huge || e.atMost(k.v))
}

func (k known) is(v int64) bool { return !k.huge && k.v == v }

// proven returns the next proven record after a fault, or after a frame of 0 if the code is empty (ZBJ-062).
func (j *journal) proven(i int, m *mapped, p int64, code string) (at, index int64, ok bool) {
	if p == m.n {
		return 0, 0, false
	}
	s, know := j.segs[i], j.known(i)
	same := j.onlyFrame(i, m, p)
	if same && code != "" { // for a frame other than 0, regardless of the known record
		return p, j.expected.v, true
	}
	if !know.reaches(j.expected) {
		return 0, 0, false
	}
	if code == "" {
		begin, ok := j.following(i)
		if !s.desc.fields || ok && j.expected.is(begin) {
			return 0, 0, false
		}
		if know.kind == byFlush {
			return j.chain(s, m, p, know)
		}
	}
	if same {
		return p, j.expected.v, true
	}
	if at, index, ok = j.neighbour(s, m, p, know); ok {
		return at, index, true
	}
	return j.chain(s, m, p, know)
}

// onlyFrame returns whether only the frame of the record at p is wrong (ZBJ-063).
func (j *journal) onlyFrame(i int, m *mapped, p int64) bool {
	r, fault := j.segs[i].content(m, p)
	return fault == "" && m.data[p] != 1 && j.indexFault(i, r.index) == "" && !j.asqnFault(r.asqn)
}

// resume returns where a reader continues after a fault, or after a frame of 0 if the code is empty.
func (j *journal) resume(i int, m *mapped, p int64, code string) (int64, bool) {
	at, index, ok := j.proven(i, m, p, code)
	if !ok {
		return 0, false
	}
	l := lost{i, p, at, code, true} // ZBJ-066
	if code == "" {
		l.code = "missing-records"
	}
	sameRecord := at == p && m.data[p] != 1
	if sameRecord && j.expected.is(index) {
		l.to, l.code = p+1, "unknown-frame"
	}
	j.lost = append(j.lost, l)
	j.jump(index)
	j.expected = next{v: index}
	if sameRecord {
		r, _ := j.segs[i].content(m, p)
		j.add(i, m, p, r)
		return r.end, true
	}
	return at, true
}

// neighbour returns the record to which the lengths of the record at p lead (ZBJ-064).
func (j *journal) neighbour(s *segment, m *mapped, p int64, know known) (int64, int64, bool) {
	for e := j.expected; know.reaches(e) && !e.over; e = after(e.v) {
		s.tried += s.wrongBytes(m, p)
		end, ok := s.endOf(m, p)
		if !ok || s.tried > 8*m.n {
			break
		}
		r, fault := s.check(m, end)
		if fault == "" && r.end > 0 && (e.is(r.index) || after(e.v).is(r.index)) {
			return end, r.index, true
		}
		p = end
	}
	return 0, 0, false
}

// wrongBytes returns the length of the data message of a record, if it fails checks 7 to 9.
func (s *segment) wrongBytes(m *mapped, p int64) int64 {
	if r, fault := s.content(m, p); fault != "" {
		return r.end - r.data
	}
	return 0
}

// endOf returns the end of a faulty record by its two lengths (ZBJ-064).
func (s *segment) endOf(m *mapped, p int64) (int64, bool) {
	if m.n-p < 49 {
		return 0, false
	}
	length := int64(le.Uint32(m.data[p+17:]))
	if length < 28 {
		return 0, false
	}
	first, second := p+21+length, p+49+int64(le.Uint32(m.data[p+45:]))
	if first == second {
		return first, true
	}
	switch one, two := s.mayBegin(m, first), s.mayBegin(m, second); {
	case one && !two:
		return first, true
	case two && !one:
		return second, true
	}
	return 0, false
}

// mayBegin returns whether a record may begin at an offset (ZBJ-064).
func (s *segment) mayBegin(m *mapped, at int64) bool {
	if at >= m.n {
		return at <= s.limit(m)
	}
	return m.data[at] <= 1
}

// Template and schema of the metadata, 3 bytes after the frame.
var metadata = []byte{1, 0, 7, 0}

// chain is a chain of whole records (ZBJ-065).
type chain struct {
	at, end     int64
	first, last int64 // indexes
	known       int64 // offset of the known record, or -1
}

// follow returns the chain that begins with a whole record.
func (s *segment) follow(m *mapped, at int64, r whole, know known) chain {
	c := chain{at: at, first: r.index, known: -1}
	for {
		if know.is(r.index) {
			c.known = at
		}
		c.last, c.end = r.index, r.end
		more, fault := s.check(m, r.end)
		if fault != "" || more.end == 0 || !after(r.index).is(more.index) {
			return c
		}
		at, r = r.end, more
	}
}

// chain returns the first record of the proven chain (ZBJ-065).
func (j *journal) chain(s *segment, m *mapped, p int64, know known) (int64, int64, bool) {
	if know.huge { // no record can be the known one
		return 0, 0, false
	}
	if r, fault := s.content(m, p); fault == "" && j.expected.atMost(r.index) && !j.asqnFault(r.asqn) {
		if s.follow(m, p, r, know).known >= 0 {
			return p, r.index, true
		}
	}
	if m.n < s.limit(m) {
		return 0, 0, false
	}
	var found chain                 // the chain with the known record
	count := 0                      // chains with the known record
	below := next{v: math.MinInt64} // after the highest index of the chains before it
	above := next{over: true}       // the lowest index of the chains after it
	wrong := int64(0)
	for at := p; at+7 <= m.n; {
		k := bytes.Index(m.data[at+3:], metadata)
		if k < 0 {
			break
		}
		at += int64(k)
		r, fault := s.check(m, at)
		if fault != "" { // the data message is set if checks 7 to 9 fail
			if wrong += r.end - r.data; wrong > m.n {
				return 0, 0, false
			}
		}
		if fault != "" || r.end == 0 {
			at++
			continue
		}
		c := s.follow(m, at, r, know)
		switch at = c.end; {
		case c.known >= 0:
			found = c
			count++
		case c.last < know.v:
			if below.atMost(c.last) {
				below = after(c.last)
			}
		case !above.atMost(c.first):
			above = next{v: c.first}
		}
	}
	if count != 1 || !j.expected.atMost(found.first) {
		return 0, 0, false
	}
	if !below.atMost(found.first) || above.atMost(found.last) {
		return 0, 0, false
	}
	ok := false
	switch know.kind {
	case bySeal:
		ok = found.known == s.desc.sealAt
	case byNext:
		ok = found.first < found.last && know.is(found.last)
	case byFlush:
		ok = found.first < found.last
	}
	return found.at, found.first, ok
}
