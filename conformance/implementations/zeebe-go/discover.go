package main

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

func segmentNumber(name string) (string, int64, bool) {
	base, ok := strings.CutSuffix(name, ".log")
	if !ok {
		return "", 0, false
	}
	i := strings.LastIndexByte(base, '-')
	if i < 1 || !utf8.ValidString(base) {
		return "", 0, false
	}
	id := base[i+1:]
	if len(id) == 0 || len(id) > 10 || id[0] == '0' {
		return "", 0, false
	}
	for _, c := range []byte(id) {
		if c < '0' || c > '9' {
			return "", 0, false
		}
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return "", 0, false
	}
	return base[:i], n, true
}

func regular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// list finds the segments of the journal (ZBJ-001 to ZBJ-004).
func (j *journal) list() error {
	if !j.folder {
		j.segs = []*segment{{path: j.path}}
		return nil
	}
	entries, err := os.ReadDir(j.path)
	if err != nil {
		return err
	}
	byName := map[string][]*segment{}
	for _, e := range entries {
		name, num, ok := segmentNumber(e.Name())
		path := filepath.Join(j.path, e.Name())
		if ok && regular(path) {
			byName[name] = append(byName[name], &segment{name: e.Name(), num: num, path: path})
		}
	}
	if name, ok := j.context["name"].(string); ok {
		j.name = name
	} else if len(byName) == 0 {
		j.name = "journal"
	} else if len(byName) == 1 {
		for name := range byName {
			j.name = name
		}
	} else {
		var marked []string
		for name := range byName {
			if regular(filepath.Join(j.path, name+".meta")) {
				marked = append(marked, name)
			}
		}
		if len(marked) != 1 {
			j.refused = "ambiguous-journal"
			return nil
		}
		j.name = marked[0]
	}
	j.segs = byName[j.name]
	sort.Slice(j.segs, func(a, b int) bool { return j.segs[a].num < j.segs[b].num })
	return nil
}

// flushedIndex returns F from the context or from the .meta file (ZBJ-035, ZBJ-059).
func (j *journal) flushedIndex() flushed {
	given, ok := j.context["last_flushed_index"]
	if !ok {
		given = "meta"
	}
	var digits string
	switch v := given.(type) {
	case string:
		if v == "meta" {
			return j.flushedInMeta()
		}
		digits = v
	case json.Number:
		digits = v.String()
	default:
		return flushed{}
	}
	n, valid := new(big.Int).SetString(digits, 10)
	if !valid || n.Sign() < 0 {
		return flushed{}
	}
	if !n.IsInt64() {
		return flushed{known: true, huge: true}
	}
	return flushed{known: true, v: n.Int64()}
}

// flushedInMeta finds the .meta file. A single-file log is a segment of the journal in its folder (ZBJ-059).
func (j *journal) flushedInMeta() flushed {
	if j.folder {
		if !usable(j.name) {
			return flushed{}
		}
		return metaIndex(filepath.Join(j.path, j.name+".meta"))
	}
	name, _, ok := segmentNumber(filepath.Base(j.path))
	d := j.segs[0].desc
	if !ok || !d.fields {
		return flushed{}
	}
	f := metaIndex(filepath.Join(filepath.Dir(j.path), name+".meta"))
	if d.seal > 0 {
		f.v = min(f.v, d.seal)
	}
	return f
}

func metaIndex(path string) flushed {
	if !regular(path) {
		return flushed{}
	}
	f, err := os.Open(path)
	if err != nil {
		return flushed{}
	}
	defer f.Close()
	buf := make([]byte, 256)
	n := 0
	for n < len(buf) {
		k, err := f.Read(buf[n:])
		n += k
		if err != nil || k == 0 {
			break
		}
	}
	b := buf[:n]
	if len(b) < 9 || b[0] != 1 {
		return flushed{}
	}
	h := header(b[1:])
	if h.schema != 8 || h.template != 6 || h.block < 16 || len(b) < 9+h.block {
		return flushed{}
	}
	if _, _, ok := bytes4(b[9+h.block:]); !ok {
		return flushed{}
	}
	v := int64(le.Uint64(b[17:]))
	if v < 0 {
		return flushed{}
	}
	return flushed{known: true, v: v}
}
