package main

import "bytes"

// state describes one slot after damage.
type state struct {
	before, after value // the checksums before and after the slot; computed if the stored checksum is wrong
	stored        value
	copied        bool // an earlier slot stores the same checksum (SQW-041)
	proven        bool // its page number, database size and image are as they were written
	computed      bool // the computed value proves it (SQW-036)
	badSalts      bool // its salts differ from the salts of the header
	badChecksum   bool // it is proven although its checksum is wrong (SQW-036)
	returned      bool // it belongs to a returned transaction or to padding
	repeats       int  // the commit frame of which it is broken padding, or 0 (SQW-015)
}

// recovery reads the slots of a log after the committed frames.
type recovery struct {
	*reader
	slots        []state       // by slot number; slot 0 is the header
	storedBy     map[value]int // the first slot that stores a checksum, by checksum
	provenBy     map[value]int // the first proven slot with a checksum after it, by checksum (SQW-038)
	transactions []transaction // the proven transactions, ordered by offset
	endingAt     map[int]bool  // the last slots of transactions
}

// transaction is a run of slots that hold a proven transaction.
type transaction struct {
	span
	follows int // the slot that it follows; 0 is the header
}

// recoverFrames proves the frames after damage and finds their transactions (SQW-035 to SQW-040).
func (r *reader) recoverFrames() *recovery {
	y := &recovery{
		reader:   r,
		slots:    make([]state, r.slots+1),
		storedBy: make(map[value]int, r.slots+1),
		provenBy: make(map[value]int, r.slots+1),
		endingAt: map[int]bool{},
	}
	if r.h.known {
		y.slots[0] = state{after: r.h.checksum, stored: r.h.checksum, proven: true}
		y.storedBy[r.h.checksum] = 0
		y.provenBy[r.h.checksum] = 0
	}
	for k := 1; k <= r.slots; k++ {
		frame, s := r.slot(k), &y.slots[k]
		s.stored = frame.stored()
		s.after = s.stored
		s.before = frame.before(r.h.words)
		s.badSalts = !bytes.Equal(frame.salts(), r.h.salts)
		if _, s.copied = y.storedBy[s.stored]; !s.copied {
			y.storedBy[s.stored] = k
		}
	}
	y.proveFrames()
	y.findTransactions()
	return y
}

// proveFrames determines which frames are proven, and which slots are broken padding (SQW-015, SQW-035, SQW-036,
// SQW-038).
func (y *recovery) proveFrames() {
	running, known := y.h.checksum, y.h.known // the checksum before slot k, computed from the last proven frame
	unproven := 1                             // the first slot after the last proven frame or its broken padding
	commit, repeated := 0, running            // last proven frame if it commits; checksum after its repetitions
	for k := 1; k <= y.reader.slots; k++ {
		frame, s := y.slot(k), &y.slots[k]
		_, isCopy := y.provenBy[s.stored]
		_, isKnown := y.provenBy[repeated]
		switch {
		case frame.page() == 0 || isCopy:
		case known && s.before == running:
			s.proven, s.computed = true, true
			y.proveBetween(unproven, k)
		case commit > 0 && s.before == repeated && !isKnown:
			s.proven = true
			y.setPadding(unproven, k, commit)
		case !s.badSalts:
			_, s.proven = y.storedBy[s.before]
		}
		if s.proven {
			running, known, unproven = s.stored, true, k+1
			y.provenBy[s.stored] = k
			commit, repeated = 0, running
			if frame.commit() {
				commit = k
			}
			continue
		}
		running = frame.after(y.h.words, running)
		if commit > 0 {
			repeated = y.slot(commit).after(y.h.words, repeated)
			if s.stored == repeated && !isCopy {
				y.setPadding(unproven, k+1, commit)
				running, unproven = repeated, k+1
			}
		}
	}
}

// setPadding marks the slots from first up to, but not including, end as broken padding of a commit frame (SQW-015).
func (y *recovery) setPadding(first, end, commit int) {
	for k := first; k < end; k++ {
		s := &y.slots[k]
		s.repeats, s.before = commit, y.slots[k-1].after
		s.after = y.slot(commit).after(y.h.words, s.before)
		y.count(k)
	}
}

// count records slot k for the checksum after it, unless an earlier slot is recorded for this checksum (SQW-035).
func (y *recovery) count(k int) {
	if _, ok := y.provenBy[y.slots[k].after]; !ok {
		y.provenBy[y.slots[k].after] = k
	}
}

// unpadded returns k or, if slot k is broken padding, the slot of its commit frame.
func (y *recovery) unpadded(k int) int {
	if commit := y.slots[k].repeats; commit > 0 {
		return commit
	}
	return k
}

// proveBetween marks the slots from first up to, but not including, end as proven, because the frame in slot end
// confirms them (SQW-036). Copies and slots with page number 0 stay unproven.
func (y *recovery) proveBetween(first, end int) {
	running := y.slots[first-1].after
	for k := first; k < end; k++ {
		s := &y.slots[k]
		before := running
		running = y.slot(k).after(y.h.words, running)
		s.before, s.after = before, running
		if _, isCopy := y.provenBy[running]; y.slot(k).page() != 0 && !isCopy {
			s.proven, s.computed, s.badChecksum = true, true, true
			y.count(k)
		}
	}
}

// followsSlotBefore reports whether the frame in slot k follows the frame in slot k-1.
func (y *recovery) followsSlotBefore(k int) bool {
	return (k > 1 || y.h.known) && y.slots[k].before == y.slots[k-1].after
}

// findTransactions finds the proven transactions after the committed frames (SQW-039).
func (y *recovery) findTransactions() {
	first := 0 // first slot of the transaction that slot k can continue, or 0
	follows := 0
	for k := y.m + 1; k <= y.reader.slots; k++ {
		if !y.slots[k].proven {
			first = 0
			continue
		}
		if slot, ok := y.anchor(k); ok && y.canBeginAfter(slot) {
			first, follows = k, slot
		} else if first > 0 && !y.followsSlotBefore(k) {
			first = 0
		}
		if first > 0 && y.slot(k).commit() {
			y.transactions = append(y.transactions, transaction{span{first, k}, follows})
			y.endingAt[k] = true
			first = 0
		}
	}
}

// anchor returns the slot that the frame in slot k follows; 0 is the header (SQW-038). A frame that the computed value
// proves follows slot k-1, unless slot k-1 is a copy. A frame after broken padding follows the commit frame.
func (y *recovery) anchor(k int) (int, bool) {
	if y.slots[k].computed && !y.isCopy(k-1) {
		return y.unpadded(k - 1), true
	}
	slot, ok := y.provenBy[y.slots[k].before]
	if !ok {
		slot, ok = y.storedBy[y.slots[k].before]
	}
	return y.unpadded(slot), ok
}

// isCopy reports whether slot k is unproven because an earlier slot has the same checksum after it (SQW-038).
func (y *recovery) isCopy(k int) bool {
	return !y.slots[k].proven && y.slot(k).page() != 0
}

// sizeWord returns z, the word of the database size that fits the checksum of slot k, and s of the value before it
// and the image (SQW-040). It returns false for a proven slot, and if the value before the slot is unknown.
func (y *recovery) sizeWord(k int) (z, s uint32, ok bool) {
	if y.slots[k].proven || k == 1 && !y.h.known {
		return 0, 0, false
	}
	before, rest := y.slots[k-1].stored, y.slots[k].stored.backward(y.h.words, y.slot(k).image())
	return rest.t - before.t - rest.s, rest.s, true
}

// lostSize returns the word of the lost size of slot k, and whether it has one (SQW-055).
func (y *recovery) lostSize(k int) (uint32, bool) {
	z, s, ok := y.sizeWord(k)
	if !ok || z == 0 || y.slot(k).commit() {
		return 0, false
	}
	before := y.slots[k-1].stored
	return z, s == before.s+y.h.words.Uint32(y.slot(k))+before.t
}

// canBeginAfter reports whether a transaction can begin at a frame that follows slot k (SQW-040).
func (y *recovery) canBeginAfter(k int) bool {
	if k == 0 {
		return true
	}
	if y.slot(k).commit() {
		z, _, ok := y.sizeWord(k)
		return !ok || z != 0
	}
	z, ok := y.lostSize(k)
	return ok && uint64(z)%(1<<34/uint64(y.h.pageSize)) != 0
}

// tail returns the transactions after the committed frames and the ranges that yielded no transaction.
func (y *recovery) tail() tail {
	t := tail{damage: y.code(y.k)}
	lastCommit := y.lastCommit()
	for _, x := range y.inOrder() {
		for k := x.first; k <= x.last; k++ {
			y.slots[k].returned = true
		}
		lastCommit = max(lastCommit, x.last)
		if !y.isPadding(x.transaction) {
			t.records = append(t.records, y.record(x.first, x.last, x.marked))
		}
	}
	t.lost = append(y.lostSlots(lastCommit), y.unfinished(lastCommit)...)
	return t
}

// isPadding reports whether a transaction repeats the commit frame that it follows (SQW-014).
func (y *recovery) isPadding(x transaction) bool {
	isKnown := x.follows > 0 && (x.follows <= y.m || y.endingAt[x.follows])
	return x.first == x.last && isKnown && y.slot(x.last).repeats(y.slot(x.follows))
}

// markedTransaction is a transaction with or without the mark after_loss.
type markedTransaction struct {
	transaction
	marked bool
}

// inOrder returns the proven transactions in the order of SQW-039.
func (y *recovery) inOrder() []markedTransaction {
	followers := map[int][]transaction{} // by the slot that they follow
	for _, t := range y.transactions {
		followers[t.follows] = append(followers[t.follows], t)
	}
	var order []markedTransaction
	inChain := map[int]bool{} // by last slot
	if y.h.known {
		for end := y.m; len(followers[end]) == 1; {
			t := followers[end][0]
			inChain[t.last] = true
			order = append(order, markedTransaction{t, false})
			end = t.last
		}
	}

	// The other transactions: first those that follow no transaction outside the chain, ordered by offset; each is
	// followed by the transactions that follow it.
	done := map[int]bool{} // by last slot
	visit := func(t transaction) {
		for stack := []transaction{t}; len(stack) > 0; {
			t := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if inChain[t.last] || done[t.last] {
				continue
			}
			done[t.last] = true
			order = append(order, markedTransaction{t, true})
			next := followers[t.last]
			for i := len(next) - 1; i >= 0; i-- {
				stack = append(stack, next[i])
			}
		}
	}
	for _, t := range y.transactions {
		if !y.endingAt[t.follows] || inChain[t.follows] {
			visit(t)
		}
	}
	for _, t := range y.transactions {
		visit(t) // only transactions that follow each other in a cycle are left
	}
	return order
}

// code returns the reason code of slot k, which is lost or is the first slot that does not continue the generation
// (SQW-041).
func (y *recovery) code(k int) string {
	s, frame := y.slots[k], y.slot(k)
	switch {
	case s.badSalts || allZero(frame[:16]):
		return "frame-salt"
	case frame.page() == 0:
		return "page-zero"
	case s.badChecksum:
		return "frame-checksum"
	case s.proven && !y.followsSlotBefore(k):
		return "broken-link"
	case s.proven:
		return "partial-transaction"
	case s.copied:
		return "broken-link"
	case y.unanchored(k):
		return "unanchored"
	}
	return "frame-checksum"
}

// unanchored reports whether the checksum before slot k is lost with slot k-1 or with the header.
func (y *recovery) unanchored(k int) bool {
	if k == 1 {
		return !y.h.known
	}
	return y.slots[k-1].badSalts || allZero(y.slot(k - 1)[:16])
}

// lostSlots returns the ranges after the committed frames, up to slot end, that yielded no record.
func (y *recovery) lostSlots(end int) []lost {
	var ranges []lost
	whole := false // whether the last range ends with a whole slot
	for k := y.m + 1; k <= end; k++ {
		s, at := y.slots[k], y.h.offset(k)
		moved := s.proven && !s.badSalts && !s.badChecksum && !y.followsSlotBefore(k)
		if s.returned && !moved {
			if s.badSalts {
				ranges = append(ranges, lost{at + 8, at + 16, "frame-salt"})
			}
			if s.badChecksum {
				ranges = append(ranges, lost{at + 16, at + 24, "frame-checksum"})
			}
			whole = whole && !s.badSalts && !s.badChecksum
			continue
		}
		code, next := y.code(k), y.h.offset(k+1)
		if n := len(ranges) - 1; whole && ranges[n].To == at && ranges[n].Reason == code {
			ranges[n].To = next
		} else {
			ranges = append(ranges, lost{at, next, code})
		}
		whole = true
	}
	return ranges
}
