// A complete Walproof adapter: skeletons/go/main.go with a reader and a writer of LevelDB logs.
//
//	go build -o adapter main.go
//	walproof check --cmd ./adapter --format leveldb-log
//
// By hand: ./adapter read leveldb-log FILE [strict]
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"os"
	"slices"
)

type object = map[string]any

var hello = object{"name": "example-go", "version": "1.0.0", "language": "Go", "formats": []string{
	"leveldb-log"}, "profiles": []string{"recover", "strict", "write", "append"}, "reports": []string{
	"records", "at", "size", "verdict", "reason", "end", "lost"}}

func read(format, path, profile string, context object) object {
	log, err := os.ReadFile(path)
	check(err)
	return object{"answer": (&reader{log: log, zerosFrom: -1}).answer(profile)}
}

// write creates a log, or appends to the end of the existing log.
func write(cmd, format, path string, records []any, context object) object {
	log, flags := []byte{}, os.O_WRONLY|os.O_CREATE|os.O_EXCL
	if cmd == "append" {
		var err error
		log, err = os.ReadFile(path)
		check(err)
		before := (&reader{log: log, zerosFrom: -1}).answer("recover")
		if before.End == nil {
			return object{"refused": "start a new file: " + *before.Reason}
		}
		if len(records) == 0 { // nothing to change
			return object{"done": true}
		}
		check(os.Truncate(path, int64(*before.End)))
		log, flags = log[:*before.End], os.O_WRONLY|os.O_APPEND
	}
	old := len(log)
	for _, record := range records {
		payload, err := hex.DecodeString(record.(object)["payload"].(string))
		check(err)
		log = framed(log, payload)
	}
	file, err := os.OpenFile(path, flags, 0o644)
	check(err)
	_, err = file.Write(log[old:])
	check(err)
	check(file.Close())
	return object{"done": true}
}

// check ends the process after an error that the log did not cause.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

const (
	block                     = 32768
	header                    = 7
	full, first, middle, last = 1, 2, 3, 4
)

type answerOf struct {
	Verdict string   `json:"verdict"`
	Reason  *string  `json:"reason"`
	Records []record `json:"records"`
	Lost    []span   `json:"lost"`
	End     *int     `json:"end"`
}

type record struct {
	At      int    `json:"at"`
	Size    int    `json:"size"`
	Payload string `json:"payload"`
}

type span struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Reason string `json:"reason"`
}

// fragments are the fragments of a record whose FIRST has been read, and whose LAST has not.
type fragments struct {
	at, end int
	data    []byte
}

// reader reads a log according to spec/leveldb-log.md.
type reader struct {
	log       []byte
	records   []record
	lost      []span
	open      *fragments
	zerosFrom int // -1 if the log does not end in zeros
	torn      *span
	damage    *span // the first damage, extended to the end of the log
	before    int   // the number of records before the damage
	outOfStep bool
}

// answer returns all complete records or, with "strict", the records before the first damage.
func (r *reader) answer(profile string) answerOf {
	if foreignDialect(r.log) {
		reason := "foreign-dialect"
		return answerOf{"refused", &reason, []record{}, []span{}, nil}
	}
	r.records, r.lost = []record{}, []span{}
	for base := 0; base < len(r.log); base += block {
		r.block(base)
	}
	if r.open != nil {
		r.tear(r.open.at, r.open.end, "torn-record")
	}
	end := len(r.log)
	if r.zerosFrom >= 0 {
		end = r.zerosFrom
	}
	if r.torn != nil {
		end = r.torn.From
		r.lost = append(r.lost, *r.torn)
	}
	switch {
	case r.damage == nil && r.torn == nil:
		return answerOf{"intact", nil, r.records, r.lost, &end}
	case r.damage == nil:
		return answerOf{"torn", &r.torn.Reason, r.records, r.lost, &end}
	case profile == "strict":
		return answerOf{"damaged", &r.damage.Reason, r.records[:r.before], []span{*r.damage}, nil}
	}
	slices.SortStableFunc(r.lost, func(a, b span) int { return a.From - b.From })
	if r.outOfStep {
		return answerOf{"damaged", &r.damage.Reason, r.records, r.lost, nil}
	}
	return answerOf{"damaged", &r.damage.Reason, r.records, r.lost, &end}
}

// block reads the physical records of one block.
func (r *reader) block(base int) {
	end := min(base+block, len(r.log))
	if r.zerosFrom >= 0 && !isZero(r.log[base:end]) {
		r.lose(r.zerosFrom, base, "zero-gap")
		r.loseOpen()
		r.zerosFrom = -1
	}
	for at := base; at < end && base+block-at >= header; { // the rest is the trailer
		rest := r.log[at:end]
		short := len(rest) < header
		if (short || isZero(rest[4:7])) && isZero(rest) {
			if r.zerosFrom < 0 {
				r.zerosFrom = at
			}
			return
		}
		if short {
			r.tear(at, end, "torn-header")
			return
		}
		checksum, kind := binary.LittleEndian.Uint32(rest), rest[6]
		length := int(binary.LittleEndian.Uint16(rest[4:]))
		after := at + header + length
		switch {
		case after > base+block:
			r.loseRest(at, end, "bad-length")
			return
		case after > end:
			r.tear(at, end, "torn-payload")
			return
		case kind == 0 && length == 0:
			r.loseRest(at, end, "zero-header")
			return
		case maskedCRC(r.log[at+6:after]) != checksum:
			r.loseRest(at, end, "checksum-mismatch")
			return
		}
		r.fragment(kind, r.log[at+header:after], at, after)
		at = after
	}
}

// fragment adds a physical record with a valid checksum.
func (r *reader) fragment(kind byte, data []byte, at, end int) {
	switch kind {
	case full, first:
		if r.open != nil && len(r.open.data) > 0 {
			r.loseOpen()
		}
		r.open = &fragments{at, end, slices.Clone(data)}
	case middle, last:
		if r.open == nil {
			r.lose(at, end, "orphan-fragment")
			return
		}
		r.open.end, r.open.data = end, append(r.open.data, data...)
	default:
		r.lose(at, end, "unknown-type")
		r.loseOpen()
	}
	if kind == full || kind == last {
		whole := r.open
		r.records = append(r.records, record{whole.at, whole.end - whole.at, hex.EncodeToString(whole.data)})
		r.open = nil
	}
}

func (r *reader) lose(from, to int, reason string) {
	if r.damage == nil {
		r.damage, r.before = &span{from, len(r.log), reason}, len(r.records)
		if r.open != nil {
			r.damage.From = min(from, r.open.at)
		}
	}
	r.lost = append(r.lost, span{from, to, reason})
}

func (r *reader) loseOpen() {
	if r.open != nil {
		r.lose(r.open.at, r.open.end, "incomplete-record")
		r.open = nil
	}
}

// loseRest skips the rest of a block, because a length may be damaged; reading resumes at the next block.
func (r *reader) loseRest(at, end int, reason string) {
	r.lose(at, end, reason)
	r.loseOpen()
	r.outOfStep = end%block != 0
}

// tear records that the log ends inside a write. If a record is open, the write began at the FIRST fragment
// of that record.
func (r *reader) tear(at, end int, reason string) {
	if r.open != nil {
		at = r.open.at
	}
	r.torn, r.open = &span{at, end, reason}, nil
}

func isZero(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return b != 0 })
}

// foreignDialect returns whether the first physical record is of another dialect (LDB-043).
func foreignDialect(log []byte) bool {
	if len(log) < header {
		return false
	}
	length, kind := int(binary.LittleEndian.Uint16(log[4:])), log[6]
	holds := func(size int) bool {
		end := size + length
		return end <= min(block, len(log)) && maskedCRC(log[6:end]) == binary.LittleEndian.Uint32(log)
	}
	plain := kind == 9 && length == 4 || kind == 130 && length == 24 || kind == 10 && length > 0 && length%6 == 0
	return plain && holds(header) || slices.Contains([]byte{5, 6, 7, 8, 11, 131}, kind) && holds(11) ||
		9 <= kind && kind <= 12 && holds(19)
}

// framed appends a framed record to a log.
func framed(log, payload []byte) []byte {
	for begin := true; ; begin = false {
		left := block - len(log)%block
		if left < header {
			log, left = append(log, make([]byte, left)...), block
		}
		length := min(len(payload), left-header)
		end := length == len(payload)
		kind := byte(middle)
		if begin && end {
			kind = full
		} else if begin {
			kind = first
		} else if end {
			kind = last
		}
		covered := append([]byte{kind}, payload[:length]...)
		log = binary.LittleEndian.AppendUint32(log, maskedCRC(covered))
		log = binary.LittleEndian.AppendUint16(log, uint16(length))
		log = append(log, covered...)
		if end {
			return log
		}
		payload = payload[length:]
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns the masked CRC-32C (LDB-007).
func maskedCRC(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// ---- The protocol. Do not change anything below. ----

// answer performs a read, write or append request.
func answer(req object) object {
	cmd, format, path := req["cmd"].(string), req["format"].(string), req["path"].(string)
	context, _ := req["context"].(object)
	if _, err := os.Stat(path); cmd != "write" && os.IsNotExist(err) {
		return object{"skipped": "nothing is at this path"}
	}
	if cmd == "read" {
		return read(format, path, req["profile"].(string), context)
	}
	return write(cmd, format, path, req["records"].([]any), context)
}

func main() {
	replies := json.NewEncoder(os.Stdout) // writes each reply at once, because the harness waits for it
	if len(os.Args) > 3 && os.Args[1] == "read" {
		profile := append(os.Args, "recover")[4]
		reply := answer(object{"cmd": "read", "format": os.Args[2], "path": os.Args[3], "profile": profile})
		if result, ok := reply["answer"]; ok {
			replies.Encode(result)
		} else {
			replies.Encode(reply)
		}
		return
	}
	requests := json.NewDecoder(os.Stdin) // reads lines of any length, unlike bufio.Scanner
	for req := (object{}); requests.Decode(&req) == nil && req["cmd"] != "bye"; req = (object{}) {
		reply := hello
		if req["cmd"] != "hello" {
			reply = answer(req)
			reply["seq"] = req["seq"]
		}
		replies.Encode(reply)
	}
}
