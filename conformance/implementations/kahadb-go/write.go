package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/adler32"
	"os"
	"path/filepath"
)

type input struct {
	Payload string `json:"payload"`
	Batch   *int64 `json:"batch"`
}

type context struct {
	Folder         bool   `json:"folder"`
	Checksum       bool   `json:"checksum"`
	EOF            string `json:"eof"`
	Preallocation  string `json:"preallocation"`
	MaxFileLength  int64  `json:"max_file_length"`
	WriteBatchSize int64  `json:"write_batch_size"`
}

// A step of the plan: create a file, or write a batch.
type step struct {
	file  string
	make  bool
	cut   int64 // if make is set: the actual length of the previous file, or -1 if that file is not truncated
	prev  string
	at    int64
	recs  [][]byte
	bytes int64
}

func openPlan(c context, folder bool, dir string, cur string, made bool, length, highest int64, recs []input) ([]step, error) {
	var steps []step
	var pend *step
	var key *int64
	flush := func() {
		if pend != nil {
			length = pend.at + 28 + pend.bytes
			steps = append(steps, *pend)
			pend = nil
		}
	}
	for _, r := range recs {
		payload, err := hex.DecodeString(r.Payload)
		check(err)
		s := int64(len(payload)) + 5
		if s > maxSize {
			return nil, errors.New("the record is too large")
		}
		if pend != nil && key != nil && r.Batch != nil && *key == *r.Batch &&
			28+pend.bytes+s < c.WriteBatchSize && (!folder || pend.at+28+pend.bytes+s <= c.MaxFileLength) &&
			pend.bytes+s <= maxSize {
			pend.recs, pend.bytes = append(pend.recs, payload), pend.bytes+s
			continue
		}
		flush()
		if folder && length+s >= c.MaxFileLength { // KDB-021
			if highest >= 1<<31-1 {
				return nil, errors.New("no number is left for a new data file")
			}
			highest++
			name := plainName(highest)
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return nil, errors.New("the name of the new data file is taken")
			}
			cut := int64(-1)
			if made && c.Preallocation == "half-mebibyte-less" {
				cut = length
			}
			steps = append(steps, step{file: name, make: true, cut: cut, prev: cur})
			cur, made, length = name, true, 0
		}
		pend, key = &step{file: cur, at: length, recs: [][]byte{payload}, bytes: s}, r.Batch
		made = true // a file that is only written to has the same effect below
	}
	flush()
	return steps, nil
}

func (c context) preallocate(path, template string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	n := c.MaxFileLength
	eof := func(at int64) {
		if at >= 0 && at < n {
			_, err := f.WriteAt(eofRec[:min(5, n-at)], at)
			check(err)
		}
	}
	switch c.Preallocation {
	case "none":
	case "half-mebibyte-less":
		check(f.Truncate(max(524288, n-524288)))
	case "last-byte":
		check(f.Truncate(n))
	default:
		check(f.Truncate(n))
		eof(0)
		switch c.Preallocation {
		case "sparse":
			eof(n - 5)
		case "chunked-zeros":
			for at := int64(1 << 20); at < n; at += 1 << 20 {
				eof(at)
			}
		case "kernel-copy":
			if template != "" {
				os.Remove(template)
				k := c
				k.Preallocation = "zeros"
				return k.preallocate(template, "")
			}
		}
	}
	return nil
}

func (c context) carryOut(dir string, folder bool, steps []step) error {
	full := func(name string) string {
		if folder {
			return filepath.Join(dir, name)
		}
		return dir
	}
	template := ""
	if folder {
		template = filepath.Join(dir, "db-log.template")
	}
	for _, s := range steps {
		if s.make {
			if s.cut >= 0 {
				check(os.Truncate(full(s.prev), s.cut))
			}
			if err := c.preallocate(full(s.file), template); err != nil {
				return err
			}
			continue
		}
		buf := make([]byte, 28, 28+s.bytes+5)
		for _, p := range s.recs {
			buf = binary.BigEndian.AppendUint32(buf, uint32(len(p)+5))
			buf = append(append(buf, 1), p...)
		}
		copy(buf, header)
		binary.BigEndian.PutUint32(buf[16:], uint32(s.bytes))
		if c.Checksum {
			binary.BigEndian.PutUint64(buf[20:], uint64(adler32.Checksum(buf[28:])))
		}
		switch c.EOF {
		case "record":
			buf = append(buf, eofRec...)
		case "zeros":
			buf = append(buf, 0, 0, 0, 0, 0)
		}
		f, err := os.OpenFile(full(s.file), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(buf, s.at)
		check(err)
		check(f.Sync())
		check(f.Close())
	}
	return nil
}

func writeLog(path string, c context, recs []input) error {
	if !c.Folder {
		steps, err := openPlan(c, false, path, "", true, 0, 0, recs)
		if err != nil {
			return err
		}
		return c.carryOut(path, false, append([]step{{make: true, cut: -1}}, steps...))
	}
	first := plainName(1)
	steps, err := openPlan(c, true, path, first, true, 0, 1, recs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return c.carryOut(path, true, append([]step{{file: first, make: true, cut: -1}}, steps...))
}

func appendLog(path string, c context, recs []input) error {
	a := readLog(path, false)
	if a.object["verdict"] == "refused" {
		return errors.New("this journal is of another format")
	}
	folder := a.list.folder
	if !folder && !a.place.ok {
		return errors.New("the file ends inside damage")
	}
	if len(recs) == 0 {
		return nil
	}
	var before []step
	cur, made, length, highest := a.place.file, false, int64(a.place.at), a.list.highest
	begin := func(name string) error {
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
			return errors.New("the name of the new data file is taken")
		}
		before = append(before, step{file: name, make: true, cut: -1})
		cur, made, length = name, true, 0
		return nil
	}
	there := !folder
	if folder {
		for _, f := range a.list.all {
			there = there || f.name == cur
		}
		_, err := os.Lstat(filepath.Join(path, cur))
		if !a.place.ok || (!there && err == nil) { // a directory has the name: KDB-024
			if highest >= 1<<31-1 {
				return errors.New("no number is left for a new data file")
			}
			highest++
			if err := begin(plainName(highest)); err != nil {
				return err
			}
		} else if !there {
			if err := begin(cur); err != nil {
				return err
			}
			highest = max(highest, 1)
		}
	}
	steps, err := openPlan(c, folder, path, cur, made, length, highest, recs)
	if err != nil {
		return err
	}
	if a.place.ok && there && !a.place.fill { // KDB-023
		name := path
		if folder {
			name = filepath.Join(path, a.place.file)
		}
		if err := os.Truncate(name, int64(a.place.at)); err != nil {
			return err
		}
	}
	return c.carryOut(path, folder, append(before, steps...))
}
