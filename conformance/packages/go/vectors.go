// Package vectors holds the golden vectors of Walproof: logs, and the answers that readers owe.
package vectors

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:vectors
var embedded embed.FS

// Answer is what a reader says of a log. Records have the fields of their format in Fields.
type Answer struct {
	Verdict string          `json:"verdict"`
	Reason  *string         `json:"reason"`
	Records []Record        `json:"records"`
	Lost    []Lost          `json:"lost"`
	End     json.RawMessage `json:"end"` // a number, {"file", "at"}, or null
}

// Record is one record: where it is, and its payload or, above 4096 bytes, the hash of that.
type Record struct {
	File          string                     `json:"file"`
	At            int64                      `json:"at"`
	Size          int64                      `json:"size"`
	Payload       *string                    `json:"payload"`
	PayloadSHA256 string                     `json:"payload_sha256"`
	Fields        map[string]json.RawMessage `json:"-"` // all of them, those above too
}

// UnmarshalJSON keeps the fields that the format adds.
func (r *Record) UnmarshalJSON(data []byte) error {
	type plain Record
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	return json.Unmarshal(data, &r.Fields)
}

// Is says whether the record has this payload.
func (r *Record) Is(payload []byte) bool {
	if r.Payload != nil {
		return *r.Payload == hex.EncodeToString(payload)
	}
	sum := sha256.Sum256(payload)
	return r.PayloadSHA256 == hex.EncodeToString(sum[:])
}

// Lost is a range of bytes, From inclusive, To exclusive.
type Lost struct {
	File   string `json:"file"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Reason string `json:"reason"`
}

// Accepted is another right result, and why.
type Accepted struct {
	Answer       Answer          `json:"answer"`
	AnswerStrict *Answer         `json:"answer_strict"`
	After        json.RawMessage `json:"after"`
	Because      string          `json:"because"`
}

// Vector is a log, what is asked of it, and what is owed. vectors/schema.json describes each field.
type Vector struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Format       string   `json:"format"`
	Kind         string   `json:"kind"`
	Group        string   `json:"group"`
	Requirements []string `json:"requirements"`
	Operation    string   `json:"operation"` // read, truncations, write or append
	Input        string   `json:"input"`
	SHA256       string   `json:"sha256"`
	Control      *string  `json:"control"`
	MadeBy       struct {
		Recipe string   `json:"recipe"`
		Damage []string `json:"damage"`
	} `json:"made_by"`
	Context      map[string]json.RawMessage `json:"context"`
	Records      []json.RawMessage          `json:"records"`
	Expect       Answer                     `json:"expect"`
	ExpectStrict *Answer                    `json:"expect_strict"`
	Accept       []Accepted                 `json:"accept"`
	Table        json.RawMessage            `json:"table"`
	After        json.RawMessage            `json:"after"`
	MustRefuse   bool                       `json:"must_refuse"`
	MayRefuse    bool                       `json:"may_refuse"`
	Limits       struct {
		WallMS     int64 `json:"wall_ms"`
		ReplyBytes int64 `json:"reply_bytes"`
	} `json:"limits"`
}

// Files are the bytes of the log by name: one file, or those of a folder, with / between names.
func (v *Vector) Files() (map[string][]byte, error) {
	top := path.Join("vectors", v.Format, v.Input)
	files := map[string][]byte{}
	err := fs.WalkDir(embedded, top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(name)
		files[strings.TrimPrefix(strings.TrimPrefix(name, top), "/")] = data
		return err
	})
	if data, isFile := files[""]; isFile {
		files = map[string][]byte{v.Input: data}
	}
	return files, err
}

// IsFile says whether the log is one file; else it is a folder.
func (v *Vector) IsFile() bool {
	stat, err := fs.Stat(embedded, path.Join("vectors", v.Format, v.Input))
	return err == nil && !stat.IsDir()
}

// Index is what vectors/index.json says of the set.
type Index struct {
	Version string `json:"version"`
	Vectors []struct {
		ID string `json:"id"`
	} `json:"vectors"`
}

// Set is the index of the embedded set.
func Set() (Index, error) {
	var index Index
	data, err := embedded.ReadFile("vectors/index.json")
	if err != nil {
		return index, err
	}
	return index, json.Unmarshal(data, &index)
}

// Load is the vector of an id.
func Load(id string) (*Vector, error) {
	data, err := embedded.ReadFile("vectors/" + id + ".json")
	if err != nil {
		return nil, fmt.Errorf("no vector %s", id)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	vector := new(Vector)
	return vector, decoder.Decode(vector)
}

// All are the vectors of a format, or of all formats for "", in order of id.
func All(format string) ([]*Vector, error) {
	index, err := Set()
	if err != nil {
		return nil, err
	}
	var all []*Vector
	for _, row := range index.Vectors {
		if format != "" && !strings.HasPrefix(row.ID, format+"/") {
			continue
		}
		vector, err := Load(row.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, vector)
	}
	return all, nil
}
