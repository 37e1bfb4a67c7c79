// A reader and writer of kahadb-journal, written from spec/kahadb-journal.md alone.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "kahadb-go:", err)
		os.Exit(1)
	}
}

type request struct {
	Cmd     string          `json:"cmd"`
	Seq     json.RawMessage `json:"seq"`
	Format  string          `json:"format"`
	Path    string          `json:"path"`
	Profile string          `json:"profile"`
	Context json.RawMessage `json:"context"`
	Records []input         `json:"records"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	if len(os.Args) == 4 && os.Args[1] == "read" {
		check(out.Encode(readLog(os.Args[3], false).object))
		return
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var q request
		if err := in.Decode(&q); err == io.EOF || q.Cmd == "bye" {
			return
		} else {
			check(err)
		}
		if q.Cmd == "hello" {
			check(out.Encode(object{"name": "kahadb-go", "version": "1.0.0", "language": "Go",
				"formats": []string{"kahadb-journal"}, "profiles": []string{"recover", "strict", "write", "append"},
				"reports": []string{"records", "file", "at", "size", "type", "batch", "command", "command_name",
					"verdict", "reason", "lost", "end", "signals"}}))
			continue
		}
		reply := object{"seq": q.Seq}
		if q.Format != "kahadb-journal" {
			reply["skipped"] = "not this format"
			check(out.Encode(reply))
			continue
		}
		if _, err := os.Stat(q.Path); err != nil && q.Cmd != "write" {
			reply["skipped"] = "nothing is at this path"
			check(out.Encode(reply))
			continue
		}
		c := context{false, true, "record", "none", 33554432, 4194304}
		if len(q.Context) > 0 {
			check(json.Unmarshal(q.Context, &c))
		}
		var err error
		switch q.Cmd {
		case "read":
			if q.Profile != "recover" && q.Profile != "strict" {
				reply["skipped"] = "no such profile"
			} else {
				reply["answer"] = readLog(q.Path, q.Profile == "strict").object
			}
			check(out.Encode(reply))
			continue
		case "write":
			err = writeLog(q.Path, c, q.Records)
		case "append":
			err = appendLog(q.Path, c, q.Records)
		default:
			reply["skipped"] = "unknown command"
			check(out.Encode(reply))
			continue
		}
		if err != nil {
			reply["refused"] = err.Error()
		} else {
			reply["done"] = true
		}
		check(out.Encode(reply))
	}
}
