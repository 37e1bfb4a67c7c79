package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
)

func writeNew(path string, records []any, context object) error {
	list, longest, err := entries(records)
	if err != nil {
		return err
	}
	size, err := segmentSize(context, max(1048576, longest+106))
	if err != nil {
		return err
	}
	k := kind{2, 2}
	switch context["descriptor"] {
	case "1":
		k = kind{1, 1}
	case "2/1":
		k = kind{2, 1}
	case nil, "2/2":
	default:
		return errors.New("unknown descriptor")
	}
	if size <= k.length() || size > math.MaxInt32 {
		return errors.New("a segment has no room for a descriptor")
	}
	name, ok := context["name"].(string)
	if !ok {
		name = "journal"
	}
	if filepath.Ext(path) == "" && !usable(name) {
		return fmt.Errorf("%q cannot name a segment", name)
	}
	if len(list) > 0 && list[0].indexed && list[0].index < 1 {
		return fmt.Errorf("no journal begins with the index %d", list[0].index)
	}
	pl := fresh(filepath.Ext(path) != "", k, size, list)
	if err := pl.place(list); err != nil {
		return err
	}
	if pl.one {
		return pl.create(path, pl.segs[0])
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	return pl.commit(path, name, pl.segs)
}

// fresh returns the plan of a new journal, which has only segment 1.
func fresh(one bool, k kind, size int64, list []entry) *plan {
	index := int64(1)
	if len(list) > 0 && list[0].indexed {
		index = list[0].index
	}
	return &plan{one: one, kind: k, size: size, asqn: -1, expect: next{v: index},
		segs: []*planned{{num: 1, index: index, size: size, from: k.length(), pos: k.length(), lastAt: -1}}}
}

// usable returns whether segments of a journal with this name can be found (ZBJ-001).
func usable(name string) bool {
	return name != "" && !strings.ContainsAny(name, "/\x00")
}

func segmentFile(folder, name string, num int64) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%d.log", name, num))
}

func appendTo(path string, records []any, context object) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	j := &journal{path: path, folder: st.IsDir(), context: context}
	if err := j.recover(false); err != nil {
		return err
	}
	if j.refused != "" {
		return errors.New("not a journal to append to: " + j.refused)
	}
	if j.nullEnd {
		return errors.New("records are missing at the end of the journal")
	}
	if len(records) == 0 { // ZBJ-051
		return nil
	}
	if j.folder && !usable(j.name) {
		return fmt.Errorf("%q cannot name a segment", j.name)
	}
	list, longest, err := entries(records)
	if err != nil {
		return err
	}
	if j.sought < 0 { // end is offset 0, or there are no segments
		if !j.folder {
			return errors.New("a file without a descriptor")
		}
		size, err := segmentSize(context, max(1048576, longest+106))
		if err != nil {
			return err
		}
		k := kind{2, 2}
		if size <= k.length() || size > math.MaxInt32 {
			return errors.New("a segment has no room for a descriptor")
		}
		pl := fresh(false, k, size, nil)
		if err := pl.place(list); err != nil {
			return err
		}
		if err := pl.free(path, j.name, pl.segs, j.segs); err != nil {
			return err
		}
		for i := len(j.segs) - 1; i >= 0; i-- {
			if err := os.Remove(j.segs[i].path); err != nil {
				return err
			}
		}
		return pl.commit(path, j.name, pl.segs)
	}

	s := j.segs[j.sought]
	full := max(s.n, s.desc.maxSize)
	size, err := segmentSize(context, full)
	if err != nil {
		return err
	}
	cur := &planned{num: s.num, index: s.desc.index, size: full, from: j.stop, pos: j.stop, lastAt: j.lastAt}
	if j.expected.over {
		cur.lastIndex = math.MaxInt64
	} else {
		cur.lastIndex = j.expected.v - 1
	}
	pl := &plan{one: !j.folder, kind: kind{2, 2}, size: size, asqn: j.asqn, expect: j.expected, segs: []*planned{cur}}
	if err := pl.place(list); err != nil {
		return err
	}
	later := j.segs[j.sought+1:]
	if err := pl.free(path, j.name, pl.segs[1:], later); err != nil {
		return err
	}

	f, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := setSeal(f, s.desc, 0, 0); err != nil {
		return err
	}
	for i := len(later) - 1; i >= 0; i-- {
		if err := os.Remove(later[i].path); err != nil {
			return err
		}
	}
	if err := f.Truncate(j.stop); err != nil {
		return err
	}
	if err := f.Truncate(full); err != nil {
		return err
	}
	if _, err := f.WriteAt(cur.bytes, cur.from); err != nil {
		return err
	}
	if cur.sealed {
		if err := setSeal(f, s.desc, cur.lastIndex, cur.lastAt); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return pl.commit(path, j.name, pl.segs[1:])
}

// setSeal writes last index and last position, if the descriptor has them, and updates its checksum.
func setSeal(f *os.File, d descriptor, lastIndex, lastPosition int64) error {
	if !d.fields {
		return nil
	}
	b := make([]byte, d.length)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	body := b[d.segment+8:]
	le.PutUint64(body[20:], uint64(lastIndex))
	le.PutUint32(body[28:], uint32(lastPosition))
	le.PutUint64(b[9:], uint64(crc32.Checksum(b[d.segment:], castagnoli)))
	_, err := f.WriteAt(b, 0)
	return err
}
