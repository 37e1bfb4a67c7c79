package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

const recordHead = 49

type entry struct {
	payload []byte
	asqn    int64
	index   int64
	indexed bool // the request states the index
}

func number(v any) (int64, bool, error) {
	var s string
	switch v := v.(type) {
	case nil:
		return 0, false, nil
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return 0, false, errors.New("not a number")
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil, err
}

func entries(records []any) (out []entry, longest int64, err error) {
	for _, r := range records {
		o, _ := r.(object)
		s, _ := o["payload"].(string)
		e := entry{asqn: -1}
		if e.payload, err = hex.DecodeString(s); err != nil {
			return nil, 0, err
		}
		if asqn, ok, err := number(o["asqn"]); err != nil {
			return nil, 0, fmt.Errorf("asqn: %w", err)
		} else if ok {
			e.asqn = asqn
		}
		if e.index, e.indexed, err = number(o["index"]); err != nil {
			return nil, 0, fmt.Errorf("index: %w", err)
		}
		longest = max(longest, int64(len(e.payload)))
		out = append(out, e)
	}
	return out, longest, nil
}

// kind is the form of a descriptor: version byte and SBE version.
type kind struct {
	version byte
	sbe     uint16
}

func (k kind) length() int64 {
	switch {
	case k.version == 1:
		return 29
	case k.sbe == 1:
		return 45
	}
	return 57
}

func putHeader(b []byte, block, template, schema, version uint16) []byte {
	b = le.AppendUint16(b, block)
	b = le.AppendUint16(b, template)
	b = le.AppendUint16(b, schema)
	return le.AppendUint16(b, version)
}

func (k kind) encode(id, index, size, lastIndex, lastPosition int64) []byte {
	block := uint16(20)
	if k.length() == 57 {
		block = 32
	}
	body := putHeader(nil, block, 3, 7, k.sbe)
	body = le.AppendUint64(body, uint64(id))
	body = le.AppendUint64(body, uint64(index))
	body = le.AppendUint32(body, uint32(size))
	if block == 32 {
		body = le.AppendUint64(body, uint64(lastIndex))
		body = le.AppendUint32(body, uint32(lastPosition))
	}
	out := []byte{k.version}
	if k.version == 2 {
		out = putHeader(out, 8, 4, 7, k.sbe)
		out = le.AppendUint64(out, uint64(crc32.Checksum(body, castagnoli)))
	}
	return append(out, body...)
}

func encodeRecord(version uint16, index, asqn int64, payload []byte) []byte {
	data := putHeader(make([]byte, 0, 28+len(payload)), 16, 2, 7, version)
	data = le.AppendUint64(data, uint64(index))
	data = le.AppendUint64(data, uint64(asqn))
	data = le.AppendUint32(data, uint32(len(payload)))
	data = append(data, payload...)
	out := make([]byte, 0, 21+len(data))
	out = append(out, 1)
	out = putHeader(out, 12, 1, 7, version)
	out = le.AppendUint64(out, uint64(crc32.Checksum(data, castagnoli)))
	out = le.AppendUint32(out, uint32(len(data)))
	return append(out, data...)
}

// whole is a record that passed checks 3 to 9 of ZBJ-025. At the end of a segment, its end is 0.
type whole struct {
	data, end     int64 // the data message
	payload, size int64
	index, asqn   int64
	checksum      uint64
}

// check runs checks 1 to 9 of ZBJ-025 at an offset.
func (s *segment) check(m *mapped, p int64) (whole, string) {
	if p >= m.n || m.data[p] == 0 {
		return whole{}, ""
	}
	if m.data[p] != 1 {
		return whole{}, "unknown-frame"
	}
	return s.content(m, p)
}

// limit is M of ZBJ-025.
func (s *segment) limit(m *mapped) int64 { return max(m.n, s.desc.maxSize) }

// content runs checks 3 to 9. The data message is set if only checks 7 to 9 fail.
func (s *segment) content(m *mapped, p int64) (whole, string) {
	b, n := m.data, m.n
	limit := s.limit(m)
	if n-p < 21 {
		if n < limit {
			return whole{}, "torn-record"
		}
		return whole{}, "bad-length"
	}
	h := header(b[p+1:])
	if h.schema != 7 || h.template != 1 || h.block < 12 {
		return whole{}, "bad-header"
	}
	length := int64(int32(le.Uint32(b[p+17:])))
	d := p + 9 + int64(h.block)
	if length < 28 || d+length > limit {
		return whole{}, "bad-length"
	}
	if d+length > n {
		return whole{}, "torn-record"
	}
	r := whole{data: d, end: d + length, checksum: le.Uint64(b[p+9:])}
	data := b[d:r.end]
	if uint64(crc32.Checksum(data, castagnoli)) != r.checksum {
		return r, "checksum-mismatch"
	}
	h = header(data)
	if h.schema != 7 || h.template != 2 || h.block < 16 {
		return r, "data-header"
	}
	head := 8 + int64(h.block) + 4
	if head > length {
		return r, "data-length"
	}
	r.payload, r.size = d+head, int64(le.Uint32(data[head-4:]))
	if head+r.size > length || head+r.size < length && h.version <= 2 {
		return r, "data-length"
	}
	r.index, r.asqn = int64(le.Uint64(data[8:])), int64(le.Uint64(data[16:]))
	return r, ""
}
