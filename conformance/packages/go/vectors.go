// Package vectors holds the golden vectors of Walproof: journal files (write-ahead logs) and the expected answers.
package vectors

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:vectors
var embedded embed.FS

// Answer is the answer of a reader for a log.
type Answer struct {
	Verdict string           `json:"verdict"`
	Reason  string           `json:"reason"`
	Records []map[string]any `json:"records"`
	Lost    []Lost           `json:"lost"`
	End     any              `json:"end"` // a number, {"file", "at"}, or nil
}

// Lost is a range of bytes, From inclusive, To exclusive.
type Lost struct {
	File   string `json:"file"`
	From   int    `json:"from"`
	To     int    `json:"to"`
	Reason string `json:"reason"`
}

// Vector is a log and the expected answer. vectors/schema.json describes each field of Body, the whole description.
type Vector struct {
	ID           string         `json:"id"`
	Format       string         `json:"format"`
	Operation    string         `json:"operation"` // read, truncations, write or append
	Input        string         `json:"input"`
	Size         int            `json:"size"`
	Context      map[string]any `json:"context"`
	Expect       *Answer        `json:"expect"`
	ExpectStrict *Answer        `json:"expect_strict"`
	Accept       []struct {
		Answer       *Answer `json:"answer"`
		AnswerStrict *Answer `json:"answer_strict"`
	} `json:"accept"`
	Body json.RawMessage `json:"-"`
}

// Answers returns the correct answers of a reader in a profile, recover or strict; the first is the expected answer.
func (v *Vector) Answers(profile string) []*Answer {
	expect, answers := v.Expect, []*Answer{}
	if profile == "strict" {
		expect = v.ExpectStrict
	}
	if expect != nil { // a writer vector has no answer in the profile strict
		answers = append(answers, expect)
	}
	for _, other := range v.Accept {
		if profile == "strict" && other.AnswerStrict != nil {
			answers = append(answers, other.AnswerStrict)
		} else if profile == "recover" && other.Answer != nil {
			answers = append(answers, other.Answer)
		}
	}
	return answers
}

// Files returns the bytes of each file of the log by file name, with / between the names of nested folders.
func (v *Vector) Files() (map[string][]byte, error) {
	top, files := path.Join("vectors", v.Format, v.Input), map[string][]byte{}
	err := fs.WalkDir(embedded, top, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			key := strings.TrimPrefix(strings.TrimPrefix(name, path.Dir(top)+"/"), v.Input+"/")
			files[key], err = embedded.ReadFile(name)
		}
		return err
	})
	return files, err
}

// Load returns the vector with an id.
func Load(id string) (*Vector, error) {
	data, err := embedded.ReadFile("vectors/" + id + ".json")
	if err != nil {
		return nil, fmt.Errorf("no vector %s", id)
	}
	vector := &Vector{Body: data}
	return vector, json.Unmarshal(data, vector)
}

// All returns the vectors of a format, or of all formats for "*".
func All(format string) (vectors []*Vector, err error) {
	names, err := fs.Glob(embedded, path.Join("vectors", format, "*.json"))
	for _, name := range names {
		vector, err := Load(strings.TrimSuffix(strings.TrimPrefix(name, "vectors/"), ".json"))
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, vector)
	}
	return vectors, err
}
