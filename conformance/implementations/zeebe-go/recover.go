package main

import (
	"encoding/hex"
	"hash/crc32"
	"strconv"
)

// recover reads the whole journal.
func (j *journal) recover(payloads bool) error {
	j.expected, j.asqn, j.sought, j.keepBytes = next{v: 1}, -1, -1, payloads
	if err := j.list(); err != nil || j.refused != "" {
		return err
	}
	j.f = j.flushedIndex()
	for _, s := range j.segs {
		if err := s.look(); err != nil {
			return err
		}
	}
	ended, endedDamage := false, false
	soughtFault := false // the last scanned segment ended at a fault

	for i, s := range j.segs {
		if s.prepared {
			if ended || i+1 == len(j.segs) || j.segs[i+1].prepared {
				continue
			}
		}
		m, err := openMapped(s.path)
		if err != nil {
			return err
		}
		if ended {
			j.lost = append(j.lost, lost{i, 0, m.contentEnd(0), "segment-gap", endedDamage})
			m.close()
			continue
		}
		code, to := "", int64(0)
		switch {
		case s.prepared:
			code = "zero-segment"
		case s.desc.code != "":
			code = s.desc.code
			if i == 0 && (code == "unknown-version" || code == "bad-descriptor") {
				j.refused = code
				j.records, j.lost = nil, nil
				m.close()
				return nil
			}
			if to = m.n; code != "torn-descriptor" {
				to = m.contentEnd(0)
			}
		case i == 0:
			j.expected = next{v: s.desc.index}
		case !j.expected.is(s.desc.index):
			if code = "segment-gap"; j.expected.over || s.desc.index < j.expected.v {
				code = "segment-overlap"
			}
			to = m.contentEnd(0)
		}
		if code != "" { // the log ends at offset 0 of this segment
			ended, endedDamage = true, j.f.promises(j.expected)
			if j.sought >= 0 && !soughtFault {
				if err := j.leftover(endedDamage); err != nil {
					m.close()
					return err
				}
			}
			j.lost = append(j.lost, lost{i, 0, to, code, endedDamage})
			m.close()
			continue
		}

		code, to = j.scan(i, m)
		soughtFault = code != ""
		p, e, seal := j.stop, j.expected, s.desc.seal
		follows := false // the next segment continues this segment
		if i+1 < len(j.segs) {
			if begin, ok := j.segs[i+1].begins(); ok {
				if e.is(begin) {
					follows = true
				} else if seal > 0 && e.atMost(seal) && after(seal).is(begin) {
					if code == "" {
						code, to, soughtFault = "missing-records", m.contentEnd(p), true
					}
					follows = true
				}
				if follows && code != "" {
					j.expected = next{v: begin}
				}
			}
		}
		sealed := seal > 0 && e.atMost(seal)
		if code == "" && sealed && !follows {
			code, to, soughtFault = "missing-records", m.contentEnd(p), true
		}
		if code != "" {
			damage := follows || sealed || j.f.promises(e)
			switch code {
			case "data-header", "data-length", "index-mismatch":
				damage = true
			}
			j.lost = append(j.lost, lost{i, p, to, code, damage})
			if !follows {
				ended, endedDamage = true, damage
			}
		}
		m.close()
	}
	if ended {
		j.nullEnd = endedDamage
	} else if j.f.promises(j.expected) { // ZBJ-041, ZBJ-042
		j.nullEnd = true
		l := lost{-1, 0, 0, "missing-records", true}
		if len(j.segs) > 0 {
			l.seg = max(j.sought, 0)
			if j.sought >= 0 {
				l.from = j.stop
			}
			m, err := openMapped(j.segs[l.seg].path)
			if err != nil {
				return err
			}
			l.to = m.contentEnd(l.from)
			m.close()
		}
		j.lost = append(j.lost, l)
	}
	return nil
}

// leftover handles ZBJ-060: bytes after the frame of 0 of the previous segment.
func (j *journal) leftover(damage bool) error {
	s := j.segs[j.sought]
	if s.desc.seal > 0 && after(s.desc.seal) == j.expected {
		return nil
	}
	m, err := openMapped(s.path)
	if err != nil {
		return err
	}
	defer m.close()
	if w := m.contentEnd(j.stop); w > j.stop {
		j.lost = append(j.lost, lost{j.sought, j.stop, w, "missing-records", damage})
	}
	return nil
}

// scan reads the records of a segment (ZBJ-025). It returns the code of the fault that ended the scan, if any, and the
// end of the lost range. It stores the offset at which the scan ended in j.stop.
func (j *journal) scan(i int, m *mapped) (string, int64) {
	s := j.segs[i]
	b, n := m.data, m.n
	limit := max(n, s.desc.maxSize)
	p := s.desc.length
	j.sought, j.lastAt = i, -1
	fault := func(code string) (string, int64) {
		j.stop = p
		if code == "torn-record" {
			return code, n
		}
		return code, m.contentEnd(p)
	}
	for {
		if p == n || b[p] == 0 {
			j.stop = p
			return "", 0
		}
		if b[p] != 1 {
			return fault("unknown-frame")
		}
		if n-p < 21 {
			if n < limit {
				return fault("torn-record")
			}
			return fault("bad-length")
		}
		h := header(b[p+1:])
		if h.schema != 7 || h.template != 1 || h.block < 12 {
			return fault("bad-header")
		}
		checksum := le.Uint64(b[p+9:])
		length := int64(int32(le.Uint32(b[p+17:])))
		d := p + 9 + int64(h.block)
		if length < 0 || d+length > limit {
			return fault("bad-length")
		}
		if d+length > n {
			return fault("torn-record")
		}
		data := b[d : d+length]
		if uint64(crc32.Checksum(data, castagnoli)) != checksum {
			return fault("checksum-mismatch")
		}
		if length < 24 {
			return fault("data-header")
		}
		h = header(data)
		if h.schema != 7 || h.template != 2 || h.block < 16 {
			return fault("data-header")
		}
		head := 8 + int64(h.block) + 4
		if head > length {
			return fault("data-length")
		}
		size := int64(le.Uint32(data[head-4:]))
		if head+size > length || head+size < length && h.version <= 2 {
			return fault("data-length")
		}
		index, asqn := int64(le.Uint64(data[8:])), int64(le.Uint64(data[16:]))
		if !j.expected.is(index) {
			return fault("index-mismatch")
		}
		j.expected = after(index)
		j.lastAt = p
		stop := d + length
		if asqn != -1 && asqn <= j.asqn {
			j.lost = append(j.lost, lost{i, p, stop, "asqn-order", true})
			p = stop
			continue
		}
		j.asqn = max(j.asqn, asqn)
		if j.keepBytes {
			payload := data[head : head+size]
			rec := object{"at": p, "size": stop - p, "index": strconv.FormatInt(index, 10),
				"asqn": strconv.FormatInt(asqn, 10), "checksum": strconv.FormatUint(checksum, 10),
				"payload": hex.EncodeToString(payload)}
			if j.folder {
				rec["file"] = text([]byte(s.name))
			}
			decodeRaft(payload, rec)
			j.records = append(j.records, released{i, p, rec})
		}
		p = stop
	}
}
