// A Walproof adapter to start from: one file, standard library only. Fill in read, name it in hello.
//
//	walproof smoke --cmd 'go run conformance/skeletons/go/main.go'   # does it speak the protocol?
//	walproof check --cmd 'go run conformance/skeletons/go/main.go'   # all vectors
//
// By hand: go run main.go read leveldb-log FILE
package main

import (
	"encoding/json"
	"os"
)

type object = map[string]any

var hello = object{"name": "my-reader", "version": "0.0.0", "language": "Go", "formats": []string{
	"leveldb-log"}, "profiles": []string{"recover"}, "reports": []string{"records", "signals"}}

// ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
// object{"answer": object{"records": []object{{"payload": hex.EncodeToString(b)}}, "signals": []string{}}}
// Do not recover from its panics: a crash is a result too. context is what the vector says besides.
func read(format, path, profile string, context object) object {
	return object{"skipped": "read() is not written yet"}
}

// ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the one that is there.
// Return object{"done": true} when all records are in it, or object{"refused": "why"} and leave what is there as it was.
// A record has its payload in hex and what else the format needs. Add the profiles "write" and "append" to hello.
func write(cmd, format, path string, records []any, context object) object {
	return object{"skipped": "write() is not written yet"}
}

func main() {
	replies := json.NewEncoder(os.Stdout) // writes each reply at once: the harness waits for it
	if len(os.Args) == 4 && os.Args[1] == "read" {
		reply := read(os.Args[2], os.Args[3], "recover", object{})
		if answer, ok := reply["answer"]; ok {
			replies.Encode(answer)
		} else {
			replies.Encode(reply)
		}
		return
	}
	requests := json.NewDecoder(os.Stdin) // takes lines of any length; a bufio.Scanner would not
	for req := (object{}); requests.Decode(&req) == nil && req["cmd"] != "bye"; req = (object{}) {
		if req["cmd"] == "hello" {
			replies.Encode(hello)
			continue
		}
		var reply object
		format, path := req["format"].(string), req["path"].(string)
		context, _ := req["context"].(object)
		if req["cmd"] == "read" {
			reply = read(format, path, req["profile"].(string), context)
		} else {
			reply = write(req["cmd"].(string), format, path, req["records"].([]any), context)
		}
		reply["seq"] = req["seq"]
		replies.Encode(reply)
	}
}
