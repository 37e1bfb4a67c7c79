// Command reader reads and writes the write-ahead logs of SQLite, as the chapter sqlite-wal describes them.
// It answers the requests of the Walproof protocol, or reads one log:
//
//	reader read sqlite-wal FILE [strict]
package main

import (
	"encoding/json"
	"os"
)

type object = map[string]any

const formatID = "sqlite-wal"

var hello = object{
	"name": "walproof-go-sqlite-wal", "version": "1.0.0", "language": "Go",
	"formats":  []string{formatID},
	"profiles": []string{"recover", "strict", "write", "append"},
	"reports": []string{"records", "at", "size", "frame", "pages", "db_pages", "after_loss",
		"verdict", "reason", "lost", "end"},
}

// reply performs one request other than hello and bye.
func reply(req object) object {
	cmd, _ := req["cmd"].(string)
	path, _ := req["path"].(string)
	if req["format"] != formatID {
		return object{"skipped": "another format"}
	}
	if _, err := os.Stat(path); cmd != "write" && os.IsNotExist(err) {
		return object{"skipped": "nothing is at this path"}
	}
	context, _ := req["context"].(object)
	records, _ := req["records"].([]any)
	switch cmd {
	case "read":
		log, err := os.ReadFile(path)
		if err != nil {
			return object{"skipped": err.Error()}
		}
		return object{"answer": readLog(log, req["profile"] == "strict")}
	case "write":
		return outcome(writeLog(path, records, context))
	case "append":
		return outcome(appendLog(path, records, context))
	}
	return object{"skipped": "unknown command"}
}

// outcome returns the reply to a write or an append.
func outcome(err error) object {
	if err != nil {
		return object{"refused": err.Error()}
	}
	return object{"done": true}
}

func main() {
	replies := json.NewEncoder(os.Stdout)
	if len(os.Args) > 3 && os.Args[1] == "read" {
		profile := append(os.Args, "recover")[4]
		result := reply(object{"cmd": "read", "format": os.Args[2], "path": os.Args[3], "profile": profile})
		if answer, ok := result["answer"]; ok {
			replies.Encode(answer)
		} else {
			replies.Encode(result)
		}
		return
	}
	requests := json.NewDecoder(os.Stdin)
	for req := (object{}); requests.Decode(&req) == nil && req["cmd"] != "bye"; req = (object{}) {
		if req["cmd"] == "hello" {
			replies.Encode(hello)
			continue
		}
		result := reply(req)
		result["seq"] = req["seq"]
		replies.Encode(result)
	}
}
