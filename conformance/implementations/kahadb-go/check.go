package main

import "bytes"

const (
	placeCertain = iota
	placeDoubt
	placeFound // found by a search, in doubt
	tornBatch
	nowhere
)

// resync returns the offset at which the reader continues after an unsound batch at k.p.
func (r *file) resync(k ctl, badHeader bool) (int, int) {
	p := k.p
	sure := func(b bool) int {
		if b {
			return placeCertain
		}
		return placeDoubt
	}
	if badHeader {
		if k.possible && k.checked && r.holds(k, k.c) {
			return k.c, sure(k.c != p+28)
		}
		if x := r.chainEnd(p, r.N); x >= 0 {
			return x, sure(x != p+28)
		}
		if q := r.nextPlace(p + 1); q >= 0 {
			return q, placeFound
		}
		return 0, nowhere
	}
	if k.possible && k.c <= r.N && r.inStep(k.c) {
		x := r.chainEnd(p, k.c)
		if x >= 0 && x < k.c && r.proof(k, x) {
			return x, sure(r.holds(k, x))
		}
		q := r.plausibleIn(p+1, k.c)
		if q >= 0 && !r.marked(k.c) && x != k.c {
			return q, placeFound
		}
		if r.unfinished(k) {
			return k.c, tornBatch
		}
		return k.c, sure(x == k.c || q < 0)
	}
	past := k.possible && k.c > r.N
	if x := r.chainEnd(p, r.N); x >= 0 && (!past || r.proof(k, x)) {
		return x, sure(x != p+28 && (!k.possible || r.holds(k, x)))
	}
	if q := r.nextPlace(p + 1); q >= 0 {
		return q, placeFound
	}
	if past {
		return r.N, tornBatch
	}
	return 0, nowhere
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
	p, doubt, beyond := 0, false, 0 // doubt lasts at least up to the offset beyond
	N, f, d := r.N, r.f, r.d
	finish := func(at int) { // the reader ends the file at this offset
		r.end = at
		if doubt {
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
				q = r.nextPlausible(p + 5)
			}
			if q < 0 {
				finish(p)
				return
			}
			r.lose(p, q, "early-eof", false)
			beyond = max(beyond, r.reach(p, q))
			p, doubt = q, true
			continue
		}
		if n := f - p; n >= 1 && n <= 4 && bytes.Equal(d[p:f], eofRec[:n]) { // 3
			r.lose(p, f, "torn-eof", true)
			finish(p)
			return
		}
		if n := f - p; n >= 1 && n <= 15 && bytes.Equal(d[p:f], header[:n]) { // 4
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
		case !head: // 7
			code = "bad-header"
		case !k.possible || k.c > N: // 8
			code = "bad-size"
		case k.size == 0 && (!k.checked || k.checksum == 1): // 9
			if r.inStep(p + 28) {
				p, doubt = p+28, doubt && p+28 <= beyond
				continue
			}
			code = "bad-size"
		case k.checked && !r.holds(k, k.c): // 10
			code = "checksum-mismatch"
		case !k.checked && !r.inStep(k.c) && r.plausibleIn(p+28, k.c) >= 0: // 11
			code = "bad-size"
		case !k.checked && !r.fills(k): // 12
			code = "bad-record"
		default: // 13
			r.records(k)
			p, doubt = k.c, doubt && !(k.c > beyond && (k.checked || r.users(k)))
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
		case placeDoubt:
			doubt = true
		case placeFound:
			doubt, beyond = true, max(beyond, r.reach(p, x))
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
