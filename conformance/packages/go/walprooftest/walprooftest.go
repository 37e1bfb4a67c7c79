// Package walprooftest runs the vectors against a reader, or a writer, under go test: a subtest for
// each vector and profile. README.md of the module has an example; RUNNERS.md has the rules.
package walprooftest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// Subject is what is tested. Read, Write and Append get a scratch copy of a log, never the vector.
type Subject struct {
	// Reports names the parts of an answer that Read gives: records, fields of records (at, size …),
	// verdict, reason, end, lost, signals. Only these are compared.
	Reports []string
	// Profiles are those that are asked of recover, strict, write and append; nil stands for recover.
	Profiles []string
	// Known is a file of known failures, "" for none; WALPROOF_UPDATE_KNOWN=1 has it written.
	Known string
	// Choose says which vectors are asked; nil stands for all of the format.
	Choose func(*Vector) bool
	// Patience is how many times its time limit a request may take; 0 stands for 5.
	Patience int
	// Results is a file to which a line of JSON is added for each result; the variable
	// WALPROOF_RESULTS names one if this is "".
	Results string

	// Read says what a reader releases, and what it says of damage. An error is a fault of the
	// surroundings, or a Skip; what the reader reports because of the log is a signal.
	Read func(Request) (Answer, error)
	// Write makes a log at a path where nothing is, Append adds to one as after a restart. An error
	// is a refusal, or a Skip.
	Write, Append func(Request) error
}

// Request is what is asked. Context is what the vector says of the log from outside of it.
type Request struct {
	Format, Path, Profile string
	Context               map[string]any
	Records               []Record // to write or append
}

// Answer is what a reader says. Parts that are not in Subject.Reports may stay empty.
type Answer struct {
	Records []Record
	Verdict string
	Reason  string // "" is null
	Lost    []Lost
	End     any // an int64, a map with file and at, or nil
	Signals []string
}

// Record is a payload, and the other fields by name, such as at and size.
type Record struct {
	Payload []byte
	Fields  map[string]any
}

// Skip is the error with which a request is declined, saying why.
type Skip string

func (s Skip) Error() string { return string(s) }

// Run asks a subject about every vector of a format.
func Run(t *testing.T, format string, subject Subject) {
	t.Helper()
	known, err := loadKnown(subject.Known)
	if err != nil {
		t.Fatal(err)
	}
	set, err := all(format)
	if err != nil {
		t.Fatal(err)
	}
	if len(set) == 0 {
		t.Fatalf("no vectors of %s", format)
	}
	strangers := known.strangers(format, set)
	if known.updates && len(strangers) > 0 {
		if err := known.forget(strangers); err != nil {
			t.Fatal(err)
		}
		strangers = nil
	}
	for _, one := range strangers {
		t.Errorf("%s: %s is no vector", subject.Known, one)
	}
	for _, vector := range set {
		if subject.Choose != nil && !subject.Choose(vector) {
			continue
		}
		for _, profile := range profilesOf(vector, subject.Profiles) {
			t.Run(vector.ID+"/"+profile, func(t *testing.T) {
				var err error
				found := subject.judge(vector, profile)
				subject.keep(t, found)
				if known.updates {
					if found, err = known.updated(found); err != nil {
						t.Fatal(err)
					}
				} else {
					found = known.compared(found)
				}
				switch found.Class {
				case "pass":
				case "skipped", "known-failure":
					t.Skipf("%s: %s", found.Class, found.text())
				default:
					t.Errorf("%s: %s\n%s\n%s", found.Class, found.text(), vector.Title, strings.Join(vector.Requirements, " "))
				}
			})
		}
	}
}

func profilesOf(vector *Vector, asked []string) []string {
	if asked == nil {
		asked = []string{"recover"}
	}
	fitting := map[string][]string{
		"read": {"recover", "strict"}, "truncations": {"recover"}, "write": {"write"}, "append": {"append"},
	}[vector.Operation]
	return slices.DeleteFunc(slices.Clone(fitting), func(one string) bool { return !slices.Contains(asked, one) })
}

// result is what came of a vector in a profile.
type result struct {
	Vector     string `json:"vector"`
	Profile    string `json:"profile"`
	Class      string `json:"result"`
	Difference string `json:"difference"`
	cause      string // what the list of known failures has to say
}

func (r result) text() string { return strings.TrimSpace(r.cause + "\n" + r.Difference) }

// keep adds a result to the file of results.
func (s Subject) keep(t *testing.T, found result) {
	name := s.Results
	if name == "" {
		name = os.Getenv("WALPROOF_RESULTS")
	}
	if name == "" {
		return
	}
	line, _ := json.Marshal(found)
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
		file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// judge asks one vector in one profile.
func (s Subject) judge(v *Vector, profile string) result {
	found := result{Vector: v.ID, Profile: profile, Class: "pass"}
	fill := func(class string, err error) {
		if weight(class) > weight(found.Class) {
			found.Class, found.Difference = class, fmt.Sprint(err)
		}
	}
	files, err := v.Files()
	if err != nil {
		fill("crash", err)
		return found
	}
	switch {
	case profile == "write":
		fill(s.written(v, files))
	case profile == "append":
		fill(s.appended(v, files))
	case v.Operation == "truncations":
		for _, row := range rows(v) {
			data := files[v.Input][:row.length]
			if class, err := s.read(v, profile, map[string][]byte{v.Input: data}, []object{row.expect}); class != "pass" {
				fill(class, fmt.Errorf("prefix of %d: %w", row.length, err))
			}
			if found.Class == "crash" || found.Class == "timeout" {
				return found
			}
		}
	default:
		fill(s.read(v, profile, files, owed(v, profile)))
	}
	return found
}

// weight orders what came of the requests of one vector: the heaviest is its result.
func weight(class string) int {
	return slices.Index([]string{"pass", "skipped", "fail", "crash", "timeout"}, class)
}

// read asks for one answer, compares it with those that are right, and looks at the log afterwards.
func (s Subject) read(v *Vector, profile string, files map[string][]byte, right []object) (string, error) {
	place, done, err := scratch(v, files)
	if err != nil {
		return "crash", err
	}
	defer done()
	if s.Read == nil {
		return "skipped", Skip("there is no Read")
	}
	var answer Answer
	class, err := s.guard(v, func() error {
		var err error
		answer, err = s.Read(request(v, place, profile))
		return err
	})
	if class == "refused" {
		class = "crash"
	}
	if class != "" {
		return class, err
	}
	actual, err := answer.object()
	if err != nil {
		return "crash", err
	}
	wrong := differences(right[0], actual, s.Reports)
	for _, other := range right[1:] {
		if len(differences(other, actual, s.Reports)) == 0 {
			wrong = nil
		}
	}
	if !sameFiles(place, v, files) {
		wrong = append(wrong, "the reader changed the log it read")
	}
	if wrong == nil {
		return "pass", nil
	}
	return "fail", fmt.Errorf("%s [%s]", strings.Join(wrong, "; "), digest(actual, s.Reports))
}

// guard calls a subject. The class is "" where it returned, "refused" where it returned an error.
func (s Subject) guard(v *Vector, call func() error) (string, error) {
	patience := s.Patience
	if patience == 0 {
		patience = 5
	}
	limit := v.Limits.WallMS
	if limit == 0 {
		limit = 2000
	}
	type end struct {
		class string
		err   error
	}
	ended := make(chan end, 1)
	go func() {
		last := end{"crash", fmt.Errorf("it ended its goroutine")}
		defer func() {
			if reason := recover(); reason != nil {
				last.err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
			}
			ended <- last
		}()
		err := call()
		last = end{"", err}
		if _, skipped := err.(Skip); skipped {
			last.class = "skipped"
		} else if err != nil {
			last.class = "refused"
		}
	}()
	timer := time.NewTimer(time.Duration(limit) * time.Duration(patience) * time.Millisecond)
	defer timer.Stop()
	select {
	case last := <-ended:
		return last.class, last.err
	case <-timer.C:
		return "timeout", fmt.Errorf("no answer in %d ms", limit*int64(patience))
	}
}

func request(v *Vector, place, profile string) Request {
	asked := Request{Format: v.Format, Path: place, Profile: profile, Context: map[string]any{}}
	for name, raw := range v.Context {
		var value any
		_ = json.Unmarshal(raw, &value) // it was JSON before
		asked.Context[name] = value
	}
	for _, raw := range v.Records {
		fields := object{}
		_ = json.Unmarshal(raw, &fields)
		text, whole := fields["payload"].(string)
		if !whole { // {"fill": a byte in hexadecimal, "size": how often}
			size, _ := fields["size"].(float64)
			text = strings.Repeat(fmt.Sprint(fields["fill"]), int(size))
			delete(fields, "fill")
			delete(fields, "size")
		}
		delete(fields, "payload")
		payload, _ := hex.DecodeString(text)
		asked.Records = append(asked.Records, Record{payload, fields})
	}
	return asked
}

// scratch puts a copy of a log below a folder of its own, which the function removes.
func scratch(v *Vector, files map[string][]byte) (string, func(), error) {
	folder, err := os.MkdirTemp("", "walproof")
	if err != nil {
		return "", nil, err
	}
	done := func() { os.RemoveAll(folder) }
	place := filepath.Join(folder, neutral(v, v.Input))
	for name, data := range files {
		target := place
		if !v.IsFile() {
			target = filepath.Join(place, filepath.FromSlash(name))
		}
		if err = os.MkdirAll(filepath.Dir(target), 0o777); err == nil {
			err = os.WriteFile(target, data, 0o666)
		}
		if err != nil {
			done()
			return "", nil, err
		}
	}
	return place, done, nil
}

// neutral is a name without that of the vector: nobody may go by it. Other names mean something.
func neutral(v *Vector, name string) string {
	if rest, found := strings.CutPrefix(name, path.Base(v.ID)); found {
		return "case" + rest
	}
	return name
}

// sameFiles says whether just these files are at a place.
func sameFiles(place string, v *Vector, files map[string][]byte) bool {
	if stat, err := os.Stat(place); err != nil || stat.IsDir() == v.IsFile() {
		return false
	}
	there := map[string]bool{}
	for name := range filesBelow(place) {
		data, err := os.ReadFile(filepath.Join(place, filepath.FromSlash(name)))
		if v.IsFile() {
			name = v.Input
		}
		owed, is := files[name]
		if err != nil || !is || !bytes.Equal(data, owed) {
			return false
		}
		there[name] = true
	}
	return len(there) == len(files)
}
