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
