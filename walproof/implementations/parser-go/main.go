// Driver of the Go parsers: lists the fields that they find (walproof/parsers/README.md).
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Request is one line from the harness.
type Request struct {
	Cmd     string          `json:"cmd"`
	Seq     json.RawMessage `json:"seq"`
	Path    string          `json:"path"`
	Grammar string          `json:"grammar"`
	Listing bool            `json:"listing"`
}

var hello = map[string]any{
	"name": "parser-go", "version": "0.11.0", "language": "Go", "formats": []string{"*"},
	"profiles": []string{"structure"}, "reports": []string{"structure", "unknown-enums"},
	"homepage": "https://kaitai.io", "issues": "https://github.com/kaitai-io/kaitai_struct/issues",
}

func reply(models map[string]Model, request Request) map[string]any {
	if request.Grammar == "" {
		return map[string]any{"seq": request.Seq, "skipped": "lists fields only"}
	}
	model, ok := models[request.Grammar]
	if !ok {
		return map[string]any{"seq": request.Seq, "skipped": "no parser of " + request.Grammar}
	}
	data, err := os.ReadFile(request.Path)
	check(err)
	lines := listing(model, request.Grammar, data)
	said := sha256.New()
	for _, line := range lines {
		io.WriteString(said, line+"\n")
	}
	structure := map[string]any{"fields": len(lines), "sha256": hex.EncodeToString(said.Sum(nil))}
	if request.Listing {
		structure["listing"] = lines
	}
	return map[string]any{"seq": request.Seq, "structure": structure}
}

func main() {
	said, err := os.ReadFile(filepath.Join(os.Args[1], "models.json"))
	check(err)
	var models map[string]Model
	check(json.Unmarshal(said, &models))
	requests, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var request Request
		if err := requests.Decode(&request); err == io.EOF || request.Cmd == "bye" {
			return
		} else if check(err); request.Cmd == "hello" {
			check(replies.Encode(hello))
		} else {
			check(replies.Encode(reply(models, request)))
		}
	}
}

// check ends the process for a fault of the driver or its environment, never for a damaged log.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}
