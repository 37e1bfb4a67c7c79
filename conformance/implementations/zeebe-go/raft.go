package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

var le = binary.LittleEndian

// sbe is the header of a message (ZBJ-005).
type sbe struct{ block, template, schema, version int }

func header(b []byte) sbe {
	return sbe{int(le.Uint16(b)), int(le.Uint16(b[2:])), int(le.Uint16(b[4:])), int(le.Uint16(b[6:]))}
}

func text(b []byte) any {
	if utf8.Valid(b) {
		return string(b)
	}
	return object{"hex": hex.EncodeToString(b)}
}

func u64(b []byte) string { return strconv.FormatUint(le.Uint64(b), 10) }
func s64(b []byte) string { return strconv.FormatInt(int64(le.Uint64(b)), 10) }

var memberTypes = []string{"inactive", "passive", "promotable", "active"}

// decodeRaft adds term, entry_type, entry and, if any, entry_fault (ZBJ-054 to ZBJ-058).
func decodeRaft(payload []byte, rec object) {
	rec["term"], rec["entry_type"], rec["entry"] = nil, nil, nil
	if len(payload) < 8 {
		rec["entry_fault"] = "not-raft"
		return
	}
	h := header(payload)
	if h.schema != 8 || h.template != 1 || h.block < 9 || len(payload) < 8+h.block {
		rec["entry_fault"] = "not-raft"
		return
	}
	kind := payload[16]
	rest := payload[8+h.block:]
	var entry object
	var name, fault string
	switch kind {
	case 0:
		name = "application"
		entry, fault = decodeApplication(rest)
	case 1:
		name = "configuration"
		entry, fault = decodeConfiguration(rest)
	case 2:
		name, entry = "initial", object{}
	default:
		fault = "unknown-entry-type"
	}
	if fault != "" {
		rec["entry_fault"] = fault
		return
	}
	rec["term"], rec["entry_type"], rec["entry"] = u64(payload[8:]), name, entry
}

func message(b []byte, template, known int) (sbe, []byte, []byte, string) {
	if len(b) < 8 {
		return sbe{}, nil, nil, "truncated-entry"
	}
	h := header(b)
	if h.schema != 8 || h.template != template || h.block < known {
		return h, nil, nil, "bad-entry-header"
	}
	if len(b) < 8+h.block {
		return h, nil, nil, "truncated-entry"
	}
	return h, b[8 : 8+h.block], b[8+h.block:], ""
}

func bytes4(b []byte) ([]byte, []byte, bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int64(le.Uint32(b))
	if int64(len(b)-4) < n {
		return nil, nil, false
	}
	return b[4 : 4+n], b[4+n:], true
}

func decodeApplication(b []byte) (object, string) {
	_, block, rest, fault := message(b, 2, 16)
	if fault != "" {
		return nil, fault
	}
	data, _, ok := bytes4(rest)
	if !ok {
		return nil, "truncated-entry"
	}
	entry := object{"lowest_asqn": u64(block), "highest_asqn": u64(block[8:])}
	if len(data) > 4096 {
		sum := sha256.Sum256(data)
		entry["application_data_sha256"] = hex.EncodeToString(sum[:])
	} else {
		entry["application_data"] = hex.EncodeToString(data)
	}
	return entry, ""
}

func decodeConfiguration(b []byte) (object, string) {
	h, block, rest, fault := message(b, 4, 8)
	if fault != "" {
		return nil, fault
	}
	fresh, rest, fault := group(rest)
	if fault != "" {
		return nil, fault
	}
	old := []object{}
	if h.version >= 2 {
		if old, _, fault = group(rest); fault != "" {
			return nil, fault
		}
	}
	return object{"timestamp": u64(block), "new_members": fresh, "old_members": old}, ""
}

func group(b []byte) ([]object, []byte, string) {
	if len(b) < 3 {
		return nil, nil, "truncated-entry"
	}
	block, count := int(le.Uint16(b)), int(b[2])
	if count > 0 && block < 9 {
		return nil, nil, "bad-entry-header"
	}
	b = b[3:]
	members := []object{}
	for range count {
		if len(b) < block {
			return nil, nil, "truncated-entry"
		}
		if b[0] > 3 {
			return nil, nil, "unknown-member-type"
		}
		m := object{"type": memberTypes[b[0]], "updated": s64(b[1:])}
		id, rest, ok := bytes4(b[block:])
		if !ok {
			return nil, nil, "truncated-entry"
		}
		m["member_id"] = text(id)
		members = append(members, m)
		b = rest
	}
	return members, b, ""
}
