package main

import (
	"encoding/hex"
	"math"
	"strconv"
)

// recover reads the whole journal, segment by segment.
func (j *journal) recover(payloads bool) error {
	j.expected, j.asqn, j.sought, j.keepBytes = next{v: 1}, -1, -1, payloads
	if err := j.list(); err != nil || j.refused != "" {
		return err
	}
	for _, s := range j.segs {
		if err := s.look(); err != nil {
			return err
		}
	}
	j.f = j.flushedIndex()
	if len(j.segs) > 0 { // ZBJ-011
		code, valid := j.segs[0].desc.code, false
		for _, s := range j.segs {
			_, ok := s.begins()
			valid = valid || ok
		}
		if !valid && (code == "unknown-version" || code == "bad-descriptor") {
			j.refused = code
			return nil
		}
	}
	for i := range j.segs {
		if err := j.take(i); err != nil {
			return err
		}
	}
	if !j.over && j.f.promises(j.expected) { // ZBJ-041
		l := lost{-1, 0, 0, "missing-records", true}
		if len(j.segs) > 0 {
			l.seg = 0
		}
		if j.sought >= 0 {
			var err error
			if l, err = j.leftover(true); err != nil {
				return err
			}
		}
		j.lost = append(j.lost, l)
		j.over, j.overDamage = true, true
	}
	j.nullEnd = j.over && j.overDamage || j.found
	return nil
}

// take processes a segment.
func (j *journal) take(i int) error {
	s := j.segs[i]
	if s.prepared {
		if i+1 < len(j.segs) && !j.segs[i+1].prepared {
			return j.turnAway(i, "zero-segment", 0, false)
		}
		return nil
	}
	m, err := openMapped(s.path)
	if err != nil {
		return err
	}
	defer m.close()
	index := s.desc.index
	if s.desc.code != "" {
		return j.withoutDescriptor(i, m)
	}
	if j.started && !j.expected.atMost(index) { // ZBJ-039
		gone := j.gone && j.missing >= index
		return j.turnAway(i, "segment-overlap", m.contentEnd(0), gone)
	}
	if j.started && !j.expected.is(index) {
		if err := j.gapBefore(i); err != nil {
			return err
		}
	}
	if j.started || j.front { // otherwise, a log may begin with any index (ZBJ-023)
		j.jump(index)
	}
	j.scan(i, m, s.desc.length, index, false)
	return nil
}

// turnAway reports a fault at offset 0 of a segment that has no records.
func (j *journal) turnAway(i int, code string, to int64, damage bool) error {
	damage = damage || j.isDamage(i)
	if err := j.incomplete(damage); err != nil {
		return err
	}
	j.lost = append(j.lost, lost{i, 0, to, code, damage})
	j.front, j.over, j.overDamage = true, true, damage
	return nil
}

// isDamage returns whether a fault in a segment is damage (ZBJ-035).
func (j *journal) isDamage(i int) bool {
	if j.f.promises(j.expected) {
		return true
	}
	for _, s := range j.segs[i+1:] {
		if index, ok := s.begins(); ok && (!j.started || j.expected.atMost(index)) {
			return true
		}
	}
	return false
}

// gapBefore lists the records that are missing before a segment (ZBJ-039).
func (j *journal) gapBefore(i int) error {
	if j.front {
		return nil
	}
	if j.soughtFault {
		seal := j.segs[j.sought].desc.seal
		if seal == 0 || !after(seal).below(j.segs[i].desc.index) {
			return nil
		}
	}
	if err := j.incomplete(true); err != nil {
		return err
	}
	j.lost = append(j.lost, lost{i, 0, 0, "segment-gap", true})
	return nil
}

// incomplete lists the bytes after the presumed end of the last segment scanned (ZBJ-060).
func (j *journal) incomplete(damage bool) error {
	if j.sought < 0 || j.soughtFault || j.listed {
		return nil
	}
	if seal := j.segs[j.sought].desc.seal; seal > 0 && after(seal) == j.expected {
		return nil
	}
	l, err := j.leftover(damage)
	if err == nil && l.from < l.to {
		j.lost = append(j.lost, l)
		j.listed = true
	}
	return err
}

// leftover returns the range [p, w) of the last segment scanned.
func (j *journal) leftover(damage bool) (lost, error) {
	m, err := openMapped(j.segs[j.sought].path)
	if err != nil {
		return lost{}, err
	}
	defer m.close()
	return lost{j.sought, j.stop, m.contentEnd(j.stop), "missing-records", damage}, nil
}

// jump notes the records that are missing before a record or a segment (ZBJ-066). Before the first descriptor, e is 1.
func (j *journal) jump(index int64) {
	if j.expected.below(index) {
		j.afterLoss = true
		j.miss(index - 1)
	}
}

func (j *journal) miss(index int64) {
	if !j.gone || index > j.missing {
		j.gone, j.missing = true, index
	}
}

// withoutDescriptor looks for records in a segment whose descriptor cannot be read (ZBJ-040).
func (j *journal) withoutDescriptor(i int, m *mapped) error {
	code := j.segs[i].desc.code
	know := j.known(i)
	if know.kind == unknown || j.started && !know.reaches(j.expected) {
		return j.turnAway(i, code, j.segs[i].lostTo(m, 0, code), false)
	}
	for _, at := range []int64{29, 45, 57} {
		r, fault := j.segs[i].check(m, at)
		if fault != "" || r.end == 0 {
			continue
		}
		if j.started && j.expected.is(r.index) || !j.started && know.reaches(next{v: r.index}) {
			j.jump(r.index)
			j.lost = append(j.lost, lost{i, 0, at, code, true})
			j.scan(i, m, at, r.index, true)
			return nil
		}
	}
	at, index, ok := j.chain(j.segs[i], m, 0, know)
	if !ok {
		return j.turnAway(i, code, j.segs[i].lostTo(m, 0, code), false)
	}
	if !j.expected.is(index) { // ZBJ-060
		if err := j.incomplete(true); err != nil {
			return err
		}
	}
	j.jump(index)
	j.lost = append(j.lost, lost{i, 0, at, code, true})
	j.scan(i, m, at, index, true)
	return nil
}

// scan reads the records of a segment from an offset on, beginning with the given index. `found` means that ZBJ-040
// found a record at the offset.
func (j *journal) scan(i int, m *mapped, p, index int64, found bool) {
	s := j.segs[i]
	j.sought, j.started, j.lastAt, j.expected = i, true, -1, next{v: index}
	j.front, j.over, j.found, j.listed = false, false, found, false
	if found && m.data[p] != 1 { // a chain may begin so (ZBJ-065)
		r, _ := s.content(m, p)
		j.add(i, m, p, r)
		p = r.end
	}
	code := ""
	for {
		r, fault := s.check(m, p)
		if fault == "" && r.end > 0 {
			if fault = j.indexFault(i, r.index); fault == "" {
				j.add(i, m, p, r)
				p = r.end
				continue
			}
		}
		at, ok := j.resume(i, m, p, fault)
		if !ok {
			code = fault
			break
		}
		p = at
		j.found = true
	}
	j.stop = p
	seal := s.desc.seal
	short := seal > 0 && j.expected.atMost(seal) // ZBJ-037
	if short {
		j.miss(seal)
		if begin, ok := j.following(i); code == "" && !(ok && j.expected.is(begin)) {
			code = "missing-records"
		}
	}
	j.soughtFault = code != ""
	if code == "" {
		return
	}
	damage := short || j.isDamage(i)
	switch code {
	case "data-header", "data-length", "index-mismatch": // ZBJ-035
		damage = true
	}
	j.lost = append(j.lost, lost{i, p, s.lostTo(m, p, code), code, damage})
	j.over, j.overDamage = true, damage
}

// lostTo returns the end of a range that begins at p (ZBJ-034).
func (s *segment) lostTo(m *mapped, p int64, code string) int64 {
	if code == "torn-record" || code == "torn-descriptor" {
		return m.n
	}
	return m.contentEnd(p)
}

// following returns the index of the next segment, if it can be read.
func (j *journal) following(i int) (int64, bool) {
	if i+1 < len(j.segs) {
		return j.segs[i+1].begins()
	}
	return 0, false
}

// later returns the index of the next segment that can be read (ZBJ-031).
func (j *journal) later(i int) (int64, bool) {
	for _, s := range j.segs[i+1:] {
		if index, ok := s.begins(); ok {
			return index, true
		}
	}
	return 0, false
}

// indexFault is check 10 of ZBJ-025 (ZBJ-031).
func (j *journal) indexFault(i int, index int64) string {
	if !j.expected.is(index) {
		return "index-mismatch"
	}
	limit, ok := j.later(i)
	if !ok || index < limit {
		return ""
	}
	d := j.segs[i].desc
	if d.code == "" && limit <= d.index || d.seal > 0 && limit <= d.seal {
		return ""
	}
	return "index-mismatch"
}

// add returns a record that passed checks 2 to 10, and lists it if its asqn is out of order (ZBJ-032).
func (j *journal) add(i int, m *mapped, p int64, r whole) {
	j.expected = after(r.index)
	j.lastAt = p
	if j.asqnFault(r.asqn) {
		j.lost = append(j.lost, lost{i, p, r.end, "asqn-order", true})
	}
	j.asqn = max(j.asqn, r.asqn)
	if !j.keepBytes {
		return
	}
	payload := m.data[r.payload : r.payload+r.size]
	rec := object{"at": p, "size": r.end - p, "index": strconv.FormatInt(r.index, 10),
		"asqn": strconv.FormatInt(r.asqn, 10), "checksum": strconv.FormatUint(r.checksum, 10),
		"payload": hex.EncodeToString(payload)}
	if j.folder {
		rec["file"] = text([]byte(j.segs[i].name))
	}
	if j.afterLoss {
		rec["after_loss"] = true
	}
	decodeRaft(payload, rec)
	j.records = append(j.records, released{i, p, rec})
}

func (j *journal) asqnFault(asqn int64) bool { return asqn != -1 && asqn <= j.asqn }

// known returns the known record of a segment (ZBJ-062).
func (j *journal) known(i int) known {
	d := j.segs[i].desc
	if d.seal > 0 {
		return known{kind: bySeal, v: d.seal}
	}
	for k, s := range j.segs[i+1:] {
		n, ok := s.begins()
		if !ok || d.code == "" && n <= d.index {
			continue
		}
		if k > 0 || n == math.MinInt64 {
			return known{}
		}
		return known{kind: byNext, v: n - 1}
	}
	if !j.f.known {
		return known{}
	}
	return known{kind: byFlush, v: j.f.v, huge: j.f.huge}
}
