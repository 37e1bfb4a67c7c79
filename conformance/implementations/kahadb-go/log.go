package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

type object = map[string]any

var commands = []string{"KAHA_TRACE_COMMAND", "KAHA_ADD_MESSAGE_COMMAND", "KAHA_REMOVE_MESSAGE_COMMAND",
	"KAHA_PREPARE_COMMAND", "KAHA_COMMIT_COMMAND", "KAHA_ROLLBACK_COMMAND", "KAHA_REMOVE_DESTINATION_COMMAND",
	"KAHA_SUBSCRIPTION_COMMAND", "KAHA_PRODUCER_AUDIT_COMMAND", "KAHA_ACK_MESSAGE_FILE_MAP_COMMAND",
	"KAHA_UPDATE_MESSAGE_COMMAND", "KAHA_ADD_SCHEDULED_JOB_COMMAND", "KAHA_RESCHEDULE_JOB_COMMAND",
	"KAHA_REMOVE_SCHEDULED_JOB_COMMAND", "KAHA_REMOVE_SCHEDULED_JOBS_COMMAND", "KAHA_DESTROY_SCHEDULER_COMMAND",
	"KAHA_REWRITTEN_DATA_FILE_COMMAND"}

// command returns the number of the command in a payload, or -1 (KDB-016).
func command(b []byte) int {
	if len(b) < 2 || int(b[0]) >= len(commands) {
		return -1
	}
	n := uint64(0)
	for i := 0; i < 5 && 1+i < len(b); i++ {
		c := b[1+i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if n == uint64(len(b)-2-i) {
				return int(b[0])
			}
			return -1
		}
	}
	return -1
}

type dataFile struct {
	name string
	num  int64
	size int64
}

// number returns N of a file name db-N.log (KDB-002).
func number(name string) (int64, bool) {
	s, ok := strings.CutPrefix(name, "db-")
	if !ok {
		return 0, false
	}
	s, ok = strings.CutSuffix(s, ".log")
	if !ok || s == "" {
		return 0, false
	}
	neg := s[0] == '-'
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	n := int64(0)
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int64(c-'0'); n > 1<<31 {
			return 0, false
		}
	}
	if neg {
		n = -n
	}
	return n, n >= -1<<31 && n <= 1<<31-1
}

func plainName(n int64) string { return "db-" + strconv.FormatInt(n, 10) + ".log" }

// listing holds the files of a log.
type listing struct {
	folder  bool
	all     []dataFile // every data file
	read    []dataFile // in the order of reading
	unread  []dataFile // duplicates
	highest int64      // the highest number in the name of any entry
}

func list(path string) *listing {
	st, err := os.Stat(path)
	check(err)
	l := &listing{folder: st.IsDir()}
	if !l.folder {
		if st.Size() > 0 {
			l.read = []dataFile{{"", 0, st.Size()}}
		}
		return l
	}
	entries, err := os.ReadDir(path)
	check(err)
	for _, e := range entries {
		n, ok := number(e.Name())
		if !ok {
			continue
		}
		l.highest = max(l.highest, n) // KDB-024: the entry need not be a file
		st, err := os.Stat(filepath.Join(path, e.Name()))
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		l.all = append(l.all, dataFile{e.Name(), n, st.Size()})
	}
	sort.Slice(l.all, func(i, j int) bool {
		a, b := l.all[i], l.all[j]
		if a.num != b.num {
			return a.num < b.num
		}
		if pa, pb := a.name == plainName(a.num), b.name == plainName(b.num); pa != pb {
			return pa
		}
		if len(a.name) != len(b.name) {
			return len(a.name) < len(b.name)
		}
		return a.name < b.name
	})
	for _, f := range l.all {
		if f.size == 0 {
			continue
		}
		if n := len(l.read); n > 0 && l.read[n-1].num == f.num {
			l.unread = append(l.unread, f)
		} else {
			l.read = append(l.read, f)
		}
	}
	return l
}

// hasDouble returns whether another file has the number of f (KDB-004).
func (l *listing) hasDouble(f dataFile) bool {
	for _, other := range l.unread {
		if other.num == f.num {
			return true
		}
	}
	return false
}

func mapped(path string) ([]byte, func()) {
	f, err := os.Open(path)
	check(err)
	defer f.Close()
	st, err := f.Stat()
	check(err)
	if st.Size() == 0 {
		return nil, func() {}
	}
	d, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	check(err)
	return d, func() { syscall.Munmap(d) }
}

// place is the position at which a writer continues.
type place struct {
	ok   bool // false if the position is null
	file string
	at   int
	fill bool // fill begins there
}

type answer struct {
	object
	list  *listing
	place place
}

func readLog(path string, strict bool) *answer {
	l := list(path)
	full := func(name string) string {
		if name == "" {
			return path
		}
		return filepath.Join(path, name)
	}
	data := make([][]byte, len(l.read))
	siblings := 0
	foreign := make([]bool, len(l.read))
	for i, df := range l.read {
		d, done := mapped(full(df.name))
		defer done()
		data[i] = d
		if foreign[i] = sibling(d); foreign[i] {
			siblings++
		}
	}
	if len(l.read) > 0 && siblings == len(l.read) {
		return &answer{object{"verdict": "refused", "reason": "foreign-journal", "records": []object{}, "lost": []object{},
			"end": nil, "signals": []string{"foreign-journal"}}, l, place{}}
	}

	files := make([]*file, len(l.read))
	last := -1 // the last file with content
	for i := range l.read {
		files[i] = newFile(data[i])
		if foreign[i] || files[i].f > 0 {
			last = i
		}
	}
	records, lost, signals := []object{}, []object{}, []string{}
	named := func(o object, name string) object {
		if l.folder {
			o["file"] = name
		}
		return o
	}
	lose := func(name string, from, to int, code string) {
		lost = append(lost, named(object{"from": from, "to": to, "reason": code}, name))
		signals = append(signals, code)
	}
	damage, torn := "", ""
	for i, df := range l.read {
		F := files[i]
		if damage != "" && strict {
			lose(df.name, 0, F.N, damage)
			continue
		}
		if foreign[i] {
			if damage == "" {
				damage = "foreign-journal"
			}
			lose(df.name, 0, F.N, "foreign-journal")
			continue
		}
		F.read()
		for _, it := range F.items {
			if it.rec != nil {
				b := F.d[it.rec.at+5 : it.rec.at+it.rec.size]
				o := named(object{"at": it.rec.at, "size": it.rec.size, "type": it.rec.typ, "batch": it.rec.batch,
					"payload": hex.EncodeToString(b)}, df.name)
				if n := command(b); n >= 0 {
					o["command"], o["command_name"] = n, commands[n]
				}
				records = append(records, o)
				continue
			}
			x := it.lost
			if x.torn && i >= last {
				torn = x.code
			} else {
				if damage == "" {
					damage = x.code
				}
				if strict {
					lose(df.name, x.from, F.N, x.code)
					break
				}
			}
			lose(df.name, x.from, x.to, x.code)
		}
	}
	for _, df := range l.unread {
		if damage == "" {
			damage = "duplicate-id"
		}
		code := "duplicate-id"
		if strict {
			code = damage
		}
		lose(df.name, 0, int(df.size), code)
	}

	a := &answer{object{"records": records, "lost": lost, "signals": signals}, l, place{}}
	switch {
	case damage != "":
		a.object["verdict"], a.object["reason"] = "damaged", damage
	case torn != "":
		a.object["verdict"], a.object["reason"] = "torn", torn
	default:
		a.object["verdict"], a.object["reason"] = "intact", nil
	}
	if !(strict && damage != "") {
		switch {
		case len(l.read) == 0 && !l.folder:
			a.place = place{true, "", 0, true}
		case len(l.read) == 0:
			a.place = place{true, plainName(1), 0, true}
		default:
			i := max(last, 0)
			if !foreign[i] && files[i].end >= 0 && !(files[i].end == 0 && l.hasDouble(l.read[i])) {
				a.place = place{true, l.read[i].name, files[i].end, files[i].fillAt(files[i].end)}
			}
		}
	}
	a.object["end"] = nil
	if a.place.ok {
		a.object["end"] = a.place.at
		if l.folder {
			a.object["end"] = object{"file": a.place.file, "at": a.place.at}
		}
	}
	return a
}
