// A reader and writer of zeebe-journal, written from spec/zeebe-journal.md alone.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type object = map[string]any

var hello = object{"name": "zeebe-go", "version": "1.0.0", "language": "Go",
	"formats":  []string{"zeebe-journal"},
	"profiles": []string{"recover", "strict", "write", "append"},
	"reports": []string{"records", "at", "size", "verdict", "reason", "lost", "end", "signals",
		"file", "index", "asqn", "checksum", "term", "entry_type", "entry", "entry_fault",
		"after_loss"}}

func read(path, profile string, context object) object {
	st, err := os.Stat(path)
	if err != nil {
		return object{"skipped": err.Error()}
	}
	j := &journal{path: path, folder: st.IsDir(), context: context}
	if err := j.recover(true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return object{"answer": j.answer(profile == "strict")}
}

func write(cmd, path string, records []any, context object) object {
	var err error
	if cmd == "write" {
		err = writeNew(path, records, context)
	} else {
		err = appendTo(path, records, context)
	}
	if err != nil {
		return object{"refused": err.Error()}
	}
	return object{"done": true}
}

func main() {
	replies := json.NewEncoder(os.Stdout)
	replies.SetEscapeHTML(false)
	if len(os.Args) == 4 && os.Args[1] == "read" {
		reply := read(os.Args[3], "recover", object{})
		if answer, ok := reply["answer"]; ok {
			replies.Encode(answer)
		} else {
			replies.Encode(reply)
		}
		return
	}
	requests := json.NewDecoder(os.Stdin)
	requests.UseNumber()
	for {
		req := object{}
		if requests.Decode(&req) != nil || req["cmd"] == "bye" {
			return
		}
		if req["cmd"] == "hello" {
			replies.Encode(hello)
			continue
		}
		var reply object
		format, _ := req["format"].(string)
		path, _ := req["path"].(string)
		context, _ := req["context"].(object)
		if context == nil {
			context = object{}
		}
		cmd, _ := req["cmd"].(string)
		profile, _ := req["profile"].(string)
		switch {
		case format != "zeebe-journal":
			reply = object{"skipped": "only zeebe-journal"}
		case cmd == "read" && (profile == "recover" || profile == "strict"):
			reply = read(path, profile, context)
		case cmd == "write" || cmd == "append":
			records, _ := req["records"].([]any)
			reply = write(cmd, path, records, context)
		default:
			reply = object{"skipped": "no such profile"}
		}
		reply["seq"] = req["seq"]
		replies.Encode(reply)
	}
}
