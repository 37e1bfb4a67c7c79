package main

import (
	"errors"
	"fmt"
	"math"
	"os"
)

// planned is a segment after the write. Its new bytes begin at the offset `from`.
type planned struct {
	num, index, size int64
	from, pos        int64
	bytes            []byte
	lastAt           int64 // -1: no record
	lastIndex        int64
	sealed           bool
}

type plan struct {
	one     bool // a single-file log
	kind    kind // of new segments
	size    int64
	asqn    int64
	expect  next
	segs    []*planned
	prepare int64 // number of the prepared segment, 0 if none
}

func (pl *plan) place(list []entry) error {
	version := pl.kind.sbe
	for _, e := range list {
		if pl.expect.over {
			return errors.New("no index is left")
		}
		index := pl.expect.v
		if e.indexed && e.index != index {
			return fmt.Errorf("index %d is not the expected %d", e.index, index)
		}
		if e.asqn != -1 && e.asqn <= pl.asqn {
			return fmt.Errorf("asqn %d is not above %d", e.asqn, pl.asqn)
		}
		pl.asqn = max(pl.asqn, e.asqn)
		need := recordHead + int64(len(e.payload))
		cur := pl.segs[len(pl.segs)-1]
		if cur.pos+need > cur.size {
			head := pl.kind.length()
			if pl.one {
				return errors.New("the record does not fit the rest of the file")
			}
			if cur.lastAt < 0 || head+need > pl.size || pl.size > math.MaxInt32 {
				return errors.New("the record does not fit a segment")
			}
			if cur.num >= math.MaxInt32 {
				return errors.New("no segment number is left")
			}
			cur.sealed = cur.lastAt >= 0
			cur = &planned{num: cur.num + 1, index: index, size: pl.size, pos: head, lastAt: -1}
			cur.from = head
			pl.segs = append(pl.segs, cur)
			pl.prepare = cur.num + 1
		}
		cur.bytes = append(cur.bytes, encodeRecord(version, index, e.asqn, e.payload)...)
		cur.lastAt, cur.lastIndex = cur.pos, index
		cur.pos += need
		pl.expect = after(index)
	}
	return nil
}

func (pl *plan) create(path string, s *planned) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(s.size); err != nil {
		return err
	}
	lastIndex, lastPosition := int64(0), int64(0)
	if s.sealed {
		lastIndex, lastPosition = s.lastIndex, s.lastAt
	}
	id := s.num
	if _, err := f.WriteAt(pl.kind.encode(id, s.index, s.size, lastIndex, lastPosition), 0); err != nil {
		return err
	}
	if _, err := f.WriteAt(s.bytes, s.from); err != nil {
		return err
	}
	return f.Sync()
}

func createPrepared(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if os.IsExist(err) { // the name is taken, but not by a segment (ZBJ-049)
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}

func segmentSize(context object, fallback int64) (int64, error) {
	size, ok, err := number(context["max_segment_size"])
	if err != nil {
		return 0, err
	}
	if !ok {
		size = fallback
	}
	return size, nil
}

func (pl *plan) commit(folder, name string, segs []*planned) error {
	for _, s := range segs {
		if err := pl.create(segmentFile(folder, name, s.num), s); err != nil {
			return err
		}
	}
	if pl.prepare > 0 && pl.prepare <= math.MaxInt32 {
		return createPrepared(segmentFile(folder, name, pl.prepare), pl.size)
	}
	return nil
}

// free fails unless the planned files can be created after the segments in `gone` are removed.
func (pl *plan) free(folder, name string, segs []*planned, gone []*segment) error {
	removed := map[string]bool{}
	for _, s := range gone {
		removed[s.path] = true
	}
	paths := []string{}
	for _, s := range segs {
		paths = append(paths, segmentFile(folder, name, s.num))
	}
	for _, p := range paths {
		if _, err := os.Lstat(p); err == nil && !removed[p] {
			return fmt.Errorf("%s is in the way", p)
		}
	}
	return nil
}
