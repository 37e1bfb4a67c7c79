// Recreate damaged logs from controls and edits: go run replay.go vectors/leveldb-log/*.json
package main

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

type part struct { // of a vector: the description, an operation, an edit, or a part of its bytes
	Input, Control, Operation, Source, File, Fill, Copy string
	At, Remove, Size                                    int
	Delete                                              bool
	Insert                                              json.RawMessage
	Damage, Edits                                       []part
	MadeBy                                              *part `json:"made_by"`
}

type files map[string]string // by name; the name is "." in a single-file log

func load(file string) (vector part, log files) {
	text, _ := os.ReadFile(file)
	json.Unmarshal(text, &vector)
	folder, log := filepath.Join(filepath.Dir(file), vector.Input), files{}
	filepath.Walk(folder, func(path string, entry os.FileInfo, _ error) error {
		if name, _ := filepath.Rel(folder, path); !entry.IsDir() {
			data, _ := os.ReadFile(path)
			log[name] = string(data)
		}
		return nil
	})
	return vector, log
}

func bytesOf(vectors string, text json.RawMessage) string {
	var digits string
	var parts []json.RawMessage
	var one part
	if json.Unmarshal(text, &digits) == nil {
		data, _ := hex.DecodeString(digits)
		return string(data)
	}
	if json.Unmarshal(text, &one) == nil && one.Copy != "" {
		_, log := load(filepath.Join(vectors, one.Copy+".json"))
		return log[filepath.Clean(one.File)][one.At:][:one.Size]
	}
	if one.Fill != "" {
		fill, _ := hex.DecodeString(one.Fill)
		return strings.Repeat(string(fill), one.Size)[:one.Size]
	}
	json.Unmarshal(text, &parts)
	data := ""
	for _, each := range parts {
		data += bytesOf(vectors, each)
	}
	return data
}

func replay(vectors string, vector part) files {
	source := cmp.Or(vector.MadeBy.Source, vector.Control)
	_, log := load(filepath.Join(vectors, source+".json"))
	for _, operation := range vector.MadeBy.Damage {
		for _, edit := range operation.Edits {
			name := filepath.Clean(edit.File)
			old := log[name]
			log[name] = old[:edit.At] + bytesOf(vectors, edit.Insert) + old[edit.At+edit.Remove:]
			if edit.Delete {
				delete(log, name)
			}
		}
	}
	return log
}

func main() {
	for _, file := range os.Args[1:] {
		vector, log := load(file)
		if vector.Control != "" && vector.Operation != "write" {
			vectors := filepath.Dir(filepath.Dir(file))
			fmt.Println(reflect.DeepEqual(replay(vectors, vector), log), file)
		}
	}
}
