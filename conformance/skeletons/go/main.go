// A template for a Walproof adapter: one file, standard library only. Fill in read and hello.
//
//	go build -o adapter main.go
//	walproof check --smoke --cmd ./adapter   # checks the protocol
//	walproof check --cmd ./adapter   # all vectors
//
// By hand: ./adapter read leveldb-log FILE [strict]
package main

import (
	"encoding/json"
	"os"
)

type object = map[string]any

var hello = object{"name": "my-reader", "version": "0.0.0", "language": "Go", "formats": []string{
	"leveldb-log"}, "profiles": []string{"recover"}, "reports": []string{"records", "signals"}}

// ====> YOUR READER GOES HERE. Return the reader's records and its messages about damage, for example
// object{"answer": object{"records": []object{{"payload": hex.EncodeToString(b)}}, "signals": []string{}}}
// Do not recover from panics of the reader: a crash is a result too. context has information about the log that is not
// in the file.
func read(format, path, profile string, context object) object {
	return object{"skipped": "read() is not written yet"}
}

// ====> YOUR WRITER GOES HERE. For cmd "write", create a log at path; for "append", append to the log at path.
// Return object{"done": true} if the log contains all records; otherwise change nothing and return
// object{"refused": "why"}. A record has its payload in hexadecimal and the other fields of the format. Add the
// profiles "write" and "append" to hello.
func write(cmd, format, path string, records []any, context object) object {
	return object{"skipped": "write() is not written yet"}
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
