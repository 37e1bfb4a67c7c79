package main

import (
	"fmt"
	"hash/crc32"
	"math"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// next is the required next index: a signed 64-bit number, or 2^63, which no record can have.
type next struct {
	v    int64
	over bool
}

func after(v int64) next {
	if v == math.MaxInt64 {
		return next{over: true}
	}
	return next{v: v + 1}
}
func (e next) is(v int64) bool     { return !e.over && e.v == v }
func (e next) atMost(v int64) bool { return !e.over && e.v <= v }
func (e next) below(v int64) bool  { return !e.over && e.v < v }

// flushed is F (ZBJ-035).
type flushed struct {
	known bool
	huge  bool // 2^63 or more
	v     int64
}

func (f flushed) promises(e next) bool { return f.known && (f.huge || e.atMost(f.v)) }

type descriptor struct {
	code    string // a fault of ZBJ-061
	version byte
	segment int64 // offset of the SegmentDescriptor
	index   int64
	maxSize int64
	fields  bool  // whether it has last index and last position
	seal    int64 // last index of the seal, 0 if it is not sealed
	sealAt  int64 // last position of the seal
	length  int64 // offset of the first record
}

type segment struct {
	name     string
	num      int64
	path     string
	n        int64
	looked   bool
	prepared bool
	desc     descriptor
	tried    int64 // bytes of invalid data messages (ZBJ-064)
}

type lost struct {
	seg      int // -1: no file
	from, to int64
	code     string
	damage   bool
}

type released struct {
	seg int
	at  int64
	rec object
}

type journal struct {
	path    string
	folder  bool
	context object

	name     string
	refused  string
	segs     []*segment
	f        flushed
	records  []released
	lost     []lost
	expected next
	asqn     int64 // highest so far

	sought      int   // last segment that was scanned, or -1
	soughtFault bool  // it ended at a fault
	listed      bool  // its end was listed (ZBJ-060)
	found       bool  // a record in it was found after a fault
	stop        int64 // offset at which that scan ended
	lastAt      int64 // offset of the last record in that segment, or -1

	started    bool // a segment was scanned
	front      bool // a fault at offset 0 of a segment after the last that was scanned
	over       bool // no segment was scanned after the last fault
	overDamage bool // this fault is damage
	afterLoss  bool // a record was lost
	gone       bool // a record is missing; `missing` is the highest index
	missing    int64
	nullEnd    bool
	keepBytes  bool
}

// end returns the end of the log (ZBJ-044).
func (j *journal) end() any {
	if j.refused != "" || j.nullEnd {
		return nil
	}
	if len(j.segs) == 0 {
		return 0
	}
	seg, at := 0, int64(0)
	if j.sought >= 0 {
		seg, at = j.sought, j.stop
	}
	if !j.folder {
		return at
	}
	return object{"file": text([]byte(j.segs[seg].name)), "at": at}
}

// answer returns the answer (ZBJ-043 to ZBJ-045).
func (j *journal) answer(strict bool) object {
	if j.refused != "" {
		return object{"verdict": "refused", "reason": j.refused, "records": []object{}, "lost": []object{},
			"end": nil, "signals": []string{"refused: " + j.refused}}
	}
	verdict, reason, end := "intact", any(nil), j.end()
	first := -1
	for k, l := range j.lost {
		if l.damage && first < 0 {
			first = k
			verdict, reason = "damaged", l.code
		} else if first < 0 && verdict == "intact" {
			verdict, reason = "torn", l.code
		}
	}
	records, ranges := j.records, j.lost
	if strict && first >= 0 {
		l := j.lost[first]
		end = nil
		ranges = append([]lost{}, j.lost[:first]...)
		if l.seg < 0 {
			ranges = append(ranges, l)
		} else {
			for k := l.seg; k < len(j.segs); k++ {
				r := lost{k, 0, j.segs[k].n, l.code, true}
				if k == l.seg {
					r.from = l.from
				}
				ranges = append(ranges, r)
			}
		}
		records = nil
		for _, r := range j.records {
			if r.seg < l.seg || r.seg == l.seg && r.at < l.from {
				records = append(records, r)
			}
		}
	}
	out, holes, signals := []object{}, []object{}, []string{}
	for _, r := range records {
		out = append(out, r.rec)
	}
	for _, l := range ranges {
		hole := object{"from": l.from, "to": l.to, "reason": l.code}
		if j.folder && l.seg >= 0 {
			hole["file"] = text([]byte(j.segs[l.seg].name))
		}
		holes = append(holes, hole)
		signals = append(signals, fmt.Sprintf("%s: lost %d to %d", l.code, l.from, l.to))
	}
	return object{"verdict": verdict, "reason": reason, "records": out, "lost": holes, "end": end, "signals": signals}
}
