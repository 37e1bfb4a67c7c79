// Command rocksdb-go reads and writes RocksDB and Pebble write-ahead logs (rocksdb-wal).
//
// It implements the protocol of the Walproof harness: one JSON request per line on standard input, and one reply per
// request on standard output. To read one log by hand:
//
//	rocksdb-go read rocksdb-wal FILE [strict]
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// defaultMaxRecordSize is the limit of RDB-037.
const defaultMaxRecordSize = 64 << 20

type object = map[string]any

var hello = object{"name": "rocksdb-go", "version": "1.0.0", "language": "Go",
	"formats": []string{"rocksdb-wal"}, "profiles": []string{"recover", "strict", "write", "append"},
	"reports": []string{"records", "at", "size", "log_number", "sync_offset", "timestamp_sizes", "predecessor",
		"verdict", "reason", "lost", "end", "signals"}}

// request is a message of the harness.
type request struct {
	Cmd     string          `json:"cmd"`
	Seq     json.Number     `json:"seq"`
	Format  string          `json:"format"`
	Path    string          `json:"path"`
	Profile string          `json:"profile"`
	Records json.RawMessage `json:"records"`
	Context context         `json:"context"`
}

// context is the information about a log that its bytes do not contain.
type context struct {
	LogNumber     *uint64 `json:"log_number"`
	MaxRecordSize *uint64 `json:"max_record_size"`
	Headers       string  `json:"headers"`
	Compression   string  `json:"compression"`
	Closed        bool    `json:"closed"`
}

// settings returns the settings of a reader for a profile and this context.
func (c context) settings(profile string) settings {
	s := settings{strict: profile == "strict", maxRecordSize: defaultMaxRecordSize}
	if c.LogNumber != nil {
		s.number, s.numberKnown = *c.LogNumber, true
	}
	if c.MaxRecordSize != nil {
		s.maxRecordSize = *c.MaxRecordSize
	}
	return s
}

// reply performs a read, write or append request and returns the reply.
func reply(req request) object {
	if _, err := os.Stat(req.Path); req.Cmd != "write" && os.IsNotExist(err) {
		return object{"skipped": "nothing is at this path"}
	}
	if req.Format != "rocksdb-wal" {
		return object{"skipped": "only rocksdb-wal is supported"}
	}
	if req.Cmd != "read" {
		var records []newRecord
		if err := json.Unmarshal(req.Records, &records); err != nil {
			return object{"refused": err.Error()} // RDB-057: a number that its field cannot hold
		}
		if req.Cmd == "write" {
			return done(writeLog(req.Path, records, req.Context))
		}
		return done(appendLog(req.Path, records, req.Context))
	}
	r, err := readLog(req.Path, req.Context.settings(req.Profile))
	if err != nil {
		return object{"skipped": err.Error()}
	}
	return object{"answer": r.answer()}
}

// done returns the reply to a write or an append.
func done(refused, err error) object {
	switch {
	case err != nil:
		return object{"skipped": err.Error()}
	case refused != nil:
		return object{"refused": refused.Error()}
	}
	return object{"done": true}
}

func main() {
	replies := json.NewEncoder(os.Stdout)
	if len(os.Args) > 3 && os.Args[1] == "read" {
		req := request{Cmd: "read", Format: os.Args[2], Path: os.Args[3], Profile: append(os.Args, "recover")[4]}
		result := reply(req)
		if answer, ok := result["answer"]; ok {
			replies.Encode(answer)
		} else {
			replies.Encode(result)
		}
		return
	}
	requests := json.NewDecoder(os.Stdin)
	for {
		var req request
		if err := requests.Decode(&req); err != nil || req.Cmd == "bye" {
			if req.Cmd != "bye" && err.Error() != "EOF" {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
		result := hello
		if req.Cmd != "hello" {
			result = reply(req)
			result["seq"] = req.Seq
		}
		replies.Encode(result)
	}
}
