package main

import "bytes"

const (
	found = iota
	tornBatch
	nowhere
)

// resync returns the offset at which the reader continues after an invalid batch at k.p.
func (r *file) resync(k ctl, badHeader bool) (int, int) {
	p := k.p
	if badHeader {
		if x := r.chainEnd(p, r.N); x >= 0 { // A1
			return x, found
		}
		if q := r.nextPlace(p + 1); q >= 0 { // A2
			r.searched(p, q)
			r.unsettle(r.trail(p).at)
			return q, found
		}
		return 0, nowhere
	}
	if k.possible && k.c <= r.N && r.inStep(k.c) {
		x := r.chainEnd(p, k.c)
		if x >= 0 && x < k.c && r.proof(k, x) { // B1
			if !r.holds(k, x) {
				r.unsettle(x)
			}
			return x, found
		}
		q := r.plausibleIn(p+1, k.c)
		if q >= 0 && !r.marked(k.c) && x != k.c { // B2
			r.searched(p, q)
			r.unsettle(r.trail(p).at)
			return q, found
		}
		if r.unfinished(k) { // B3
			if q >= 0 {
				r.unsettle(p)
			}
			return k.c, tornBatch
		}
		if q >= 0 && x != k.c { // B4
			r.unsettle(k.c)
		}
		return k.c, found
	}
	past := k.possible && k.c > r.N
	if x := r.chainEnd(p, r.N); x >= 0 && (!past || r.proof(k, x)) { // C1
		if k.possible && !r.holds(k, x) {
			r.unsettle(x)
		}
		return x, found
	}
	if q := r.nextPlace(p + 1); q >= 0 { // C2
		r.searched(p, q)
		r.unsettle(r.trail(p).at)
		return q, found
	}
	if past { // C3
		return r.N, tornBatch
	}
	return 0, nowhere
}

func (r *file) unsettle(x int) { r.unsettled = max(r.unsettled, x) } // KDB-051

// searched notes the unsettled offsets of a search that led from p to the batch at q (KDB-051).
func (r *file) searched(p, q int) {
	if k := r.ctl(q); r.plausible(q) && !r.confirmed(k) {
		r.unsettle(k.c)
	}
	r.unsettle(r.reach(p, q))
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// read performs the checks of KDB-030 from offset 0 on.
func (r *file) read() {
	p := 0
	N, f, d := r.N, r.f, r.d
	finish := func(at int) { // the reader ends the file at this offset
		r.end = at
		if r.unsettled >= at {
			r.end = -1
		}
	}
	for {
		if r.fillAt(p) { // 1
			finish(p)
			return
		}
		if r.eofAt(p) { // 2
			q := p + 5
			if !r.headerAt(q) {
				if q = r.nextPlausible(p + 5); q >= 0 {
					r.searched(p, q)
				}
			}
			if q < 0 {
				finish(p)
				return
			}
			r.lose(p, q, "early-eof", false)
			p = q
			continue
		}
		if r.tornEOF(p) { // 3
			r.lose(p, f, "torn-eof", true)
			finish(p)
			return
		}
		if r.tornHeader(p) { // 4
			r.lose(p, f, "torn-header", true)
			finish(p)
			return
		}
		head := r.headerAt(p)
		if head && N < p+28 { // 5
			r.lose(p, N, "torn-header", true)
			finish(p)
			return
		}
		k := r.ctl(p)
		if head && k.size == 0 && !k.checked && r.unfinished(k) { // 6
			r.lose(p, p+28, "torn-header", true)
			finish(p)
			return
		}
		code := ""
		switch {
		case !head && k.possible && r.holds(k, k.c): // 7: the records are proven (KDB-034)
			code = "bad-header"
			if allZero(d[p : p+16]) { // KDB-040
				code = "zero-gap"
			}
			r.lose(p, p+16, code, false)
			r.records(k)
			p = k.c
			continue
		case !head: // 7
			code = "bad-header"
		case !k.possible || k.c > N: // 8
			code = "bad-size"
		case k.size == 0 && (!k.checked || k.checksum == 1): // 9
			if r.inStep(p + 28) {
				p += 28
				continue
			}
			code = "bad-size"
		case k.checked && !r.holds(k, k.c): // 10
			code = "checksum-mismatch"
		case !k.checked && !r.inStep(k.c) && r.covers(p+28, k.c): // 11
			for q := r.plausibleIn(p+28, k.c); q >= 0; q = r.plausibleIn(q+1, k.c) { // KDB-051
				r.unsettle(r.ctl(q).c - 1)
			}
			code = "bad-size"
		case !k.checked && !r.fills(k): // 12
			code = "bad-record"
		default: // 13
			r.records(k)
			if !k.checked && !r.inStep(k.c) {
				r.unsettle(r.reach(p+28, k.c))
			}
			p = k.c
			continue
		}
		x, how := r.resync(k, !head)
		switch how {
		case tornBatch:
			r.lose(p, x, "torn-batch", true)
			finish(p)
			return
		case nowhere:
			x = f
			if p >= f {
				x = N
			}
		}
		if code == "bad-header" && allZero(d[p:x]) {
			code = "zero-gap"
		}
		r.lose(p, x, code, false)
		if how == nowhere {
			r.end = -1
			return
		}
		p = x
	}
}

// sibling returns whether a data file belongs to a sibling format (KDB-055).
func sibling(d []byte) bool {
	return bytes.HasPrefix(d, []byte("J.IO")) ||
		len(d) >= 20 && bytes.Equal(d[:5], header[:5]) && bytes.Equal(d[9:20], header[5:]) ||
		len(d) >= 21 && bytes.Equal(d[4:9], []byte{0, 0, 0, 0x15, 2})
}
