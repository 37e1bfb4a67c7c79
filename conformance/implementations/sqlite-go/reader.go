package main

import "bytes"

// reader reads the frames of one log with a given header.
type reader struct {
	log   []byte
	h     *header
	slots int // number of whole slots
	m     int // number of committed frames (SQW-011)
	k     int // the first slot that does not continue the generation (SQW-010); slots+1 if there is none
	// own is indexed by slot number and true for the slots of this generation; last is the last such slot, or m.
	own  []bool
	last int
}

// span is a run of slots, both ends included.
type span struct{ first, last int }

func (r *reader) slot(k int) slot { return slot(r.log[r.h.offset(k):r.h.offset(k+1)]) }

// rest returns the incomplete slot at the end of the log.
func (r *reader) rest() []byte { return r.log[r.h.offset(r.slots+1):] }

// ownSalts reports whether a frame, whole or cut off after its salts, has the salts of the header and does not begin
// with zeros (SQW-030, SQW-033).
func (r *reader) ownSalts(b []byte) bool {
	return bytes.Equal(b[8:16], r.h.salts) && !allZero(b[:16])
}

// awaits reports whether a frame, whole or cut off after its salts, awaits its checksum (SQW-032).
func awaits(b []byte) bool { return allZero(b[8:16]) }

// readLog reads a log in the profile recover or strict.
func readLog(log []byte, strict bool) answer {
	if len(log) == 0 {
		return newAnswer("intact", "", nil, nil, 0)
	}
	begin := readStart(log)
	if begin.refused != "" {
		return newAnswer("refused", begin.refused, nil, nil, -1)
	}
	if begin.torn {
		return newAnswer("torn", "torn-header", nil, []lost{{0, len(log), "torn-header"}}, 0)
	}

	h := begin.header
	r := &reader{log: log, h: h, slots: (len(log) - headerSize) / h.slotSize()}
	committed := r.readCommitted()
	tail := r.readTail()

	if strict && begin.lost {
		return newAnswer("damaged", "header-checksum", nil, []lost{{0, len(log), "header-checksum"}}, -1)
	}
	if strict && tail.damage != "" {
		return newAnswer("damaged", tail.damage, committed, []lost{{h.offset(r.m + 1), len(log), tail.damage}}, -1)
	}
	records := append(committed, tail.records...)
	ranges := tail.lost
	switch {
	case begin.lost:
		ranges = append([]lost{{0, headerSize, "header-checksum"}}, ranges...)
		return newAnswer("damaged", "header-checksum", records, ranges, -1)
	case tail.damage != "":
		return newAnswer("damaged", tail.damage, records, ranges, -1)
	case len(ranges) > 0:
		return newAnswer("torn", ranges[0].Reason, records, ranges, h.offset(r.m+1))
	}
	return newAnswer("intact", "", records, nil, h.offset(r.m+1))
}

// readCommitted reads the slots up to the first that does not continue the generation, sets k and m, and returns the
// committed transactions except padding (SQW-010 to SQW-014).
func (r *reader) readCommitted() []record {
	var records []record
	r.k = 1
	if !r.h.known {
		return nil
	}
	v := r.h.checksum
	for ; r.k <= r.slots; r.k++ {
		frame := r.slot(r.k)
		if !bytes.Equal(frame.salts(), r.h.salts) || frame.page() == 0 {
			break
		}
		if v = frame.after(r.h.words, v); v != frame.stored() {
			break
		}
		if !frame.commit() {
			continue
		}
		padding := r.m > 0 && r.k == r.m+1 && frame.repeats(r.slot(r.m))
		if !padding {
			records = append(records, r.record(r.m+1, r.k, false))
		}
		r.m = r.k
	}
	return records
}

// findGeneration finds the slots after the committed frames that belong to this generation (SQW-030).
func (r *reader) findGeneration(y *recovery) {
	r.own = make([]bool, r.slots+1)
	r.last = r.m
	for k := r.m + 1; k <= r.slots; k++ {
		if r.ownSalts(r.slot(k)) || y.slots[k].proven || y.slots[k].repeats > 0 {
			r.own[k], r.last = true, k
		}
	}
}

// isCommit reports whether a slot of this generation holds a commit frame, broken padding or a lost size (SQW-055).
func (y *recovery) isCommit(k int) bool {
	if !y.own[k] {
		return false
	}
	_, lost := y.lostSize(k)
	return y.slot(k).commit() || y.slots[k].repeats > 0 || lost
}

// lastCommit returns the last commit frame of this generation, or m.
func (y *recovery) lastCommit() int {
	k := y.last
	for k > y.m && !y.isCommit(k) {
		k--
	}
	return k
}

// firstCommit returns c, the first commit frame of this generation that comes after the committed frames and is not
// padding, or 0. The second result reports whether c ends a proven transaction (SQW-031).
func (y *recovery) firstCommit() (c int, proven bool) {
	whole := map[int]transaction{}
	for _, x := range y.transactions {
		whole[x.last] = x
	}
	for k := y.m + 1; k <= y.last; k++ {
		x, ok := whole[k]
		if y.isCommit(k) && y.slots[k].repeats == 0 && !(ok && y.isPadding(x)) {
			return k, ok
		}
	}
	return 0, false
}

// tail holds the contents of the log after the committed frames.
type tail struct {
	damage  string // the code of slot k if frames are lost (SQW-031)
	records []record
	lost    []lost
}

// readTail reads the log after the committed frames.
func (r *reader) readTail() tail {
	y := r.recoverFrames()
	r.findGeneration(y)
	if y.lastCommit() == r.m {
		return tail{lost: r.unfinished(r.m)}
	}
	c, proven := y.firstCommit()
	if c > 0 && (proven || y.goesOnAfter(c)) {
		return y.tail()
	}
	if r.tornFrame() {
		return tail{lost: r.unfinished(r.m)}
	}
	return tail{lost: []lost{{r.h.offset(r.m + 1), r.endOfZeros(r.withReserved(r.last)), "bad-tail"}}}
}

// goesOnAfter reports whether the generation continues after its commit frame c with anything but repetitions of c
// (SQW-016).
func (y *recovery) goesOnAfter(c int) bool {
	if !y.tornFrame() {
		k := c + 1
		for k <= y.last && y.slot(k).repeats(y.slot(c)) {
			k++
		}
		return k <= y.last && !y.storesRepetition(c, y.last, y.slot(y.last))
	}
	end := y.reader.slots + 1
	return !y.storesRepetition(c, end, slot(y.rest()))
}

// storesRepetition reports whether a slot, whole or cut off, stores the checksum that results from repetitions of the
// commit frame c.
func (y *recovery) storesRepetition(c, last int, end slot) bool {
	if len(end) < frameHeaderSize {
		return false
	}
	commit := y.slot(c)
	q, p := commit.stored(), y.slots[c-1].stored
	isKnown := c > 1 || y.h.known // whether p is the checksum before the commit frame
	whole, shown := q, q
	for k := c; k < last; k++ {
		whole = commit.after(y.h.words, whole)
		z := value{shown.s - p.s, shown.t - p.t}.forward(y.h.words, make([]byte, y.h.slotSize()-frameHeaderSize+8))
		shown = value{q.s + z.s, q.t + z.t}
	}
	return end.stored() == whole || isKnown && end.stored() == shown
}

// tornFrame reports whether the file ends inside a frame of this generation (SQW-033).
func (r *reader) tornFrame() bool {
	rest := r.rest()
	direct := r.withReserved(r.last) == r.slots // the incomplete slot comes directly after the generation
	if len(rest) < 16 {
		return direct && !allZero(rest)
	}
	return r.ownSalts(rest) || direct && awaits(rest) && !allZero(rest[:4])
}

// withReserved returns the last slot of the run without salts that starts directly after slot k, or k (SQW-032).
func (r *reader) withReserved(k int) int {
	for k < r.slots && awaits(r.slot(k+1)) {
		k++
	}
	return k
}

// endOfZeros returns the end of slot k, or of the file if slot k is the last one and an incomplete slot after it
// begins with zeros (SQW-032).
func (r *reader) endOfZeros(k int) int {
	rest := r.rest()
	if k == r.slots && allZero(rest[:min(len(rest), 16)]) {
		return len(r.log)
	}
	return r.h.offset(k + 1)
}

// unfinished returns the range of the unfinished transaction after slot k, if there is one (SQW-032, SQW-033).
func (r *reader) unfinished(k int) []lost {
	from, end := r.h.offset(k+1), r.endOfZeros(r.withReserved(max(k, r.last)))
	switch {
	case r.tornFrame():
		return []lost{{from, len(r.log), "torn-frame"}}
	case end > from:
		return []lost{{from, end, "uncommitted"}}
	}
	return nil
}
