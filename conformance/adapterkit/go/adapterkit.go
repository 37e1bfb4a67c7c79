// Package adapterkit implements Walproof's adapter protocol v1 (JSON lines on stdin and stdout, and
// the one-shot form `PROGRAM read FORMAT PATH`) for readers and writers in Go. Fill in an Adapter
// and call Run. The package does not recover from panics: a panic in the code under test ends the
// process, because a crash is a separate result and must not look like an answer.
package adapterkit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Adapter holds the hello reply and the functions that drive the implementation. Read returns an
// error (other than Skip) only for failures outside the implementation, such as a file that cannot
// be opened. Such an error ends the process. Write serves the commands write and append (see
// req.Cmd): for write, it creates req.Path, and for append, it opens req.Path as the implementation
// does after a restart. If Write returns an error, "refused" is reported. For formats and profiles
// that are not listed, "skipped" is reported without a call. Acknowledges means that Write calls
// req.Acknowledge after each durable record.
type Adapter struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"` // see ModuleVersion
	Language string   `json:"language"`
	Formats  []string `json:"formats"`
	Profiles []string `json:"profiles"`
	Reports  []string `json:"reports"`
	Homepage string   `json:"homepage,omitempty"`
	Issues   string   `json:"issues,omitempty"`

	Acknowledges bool `json:"acknowledges,omitempty"`

	Read  func(req Request) (*Answer, error) `json:"-"`
	Write func(req Request) error            `json:"-"`
}

// Request is one line from the harness. Context is information about the log that its bytes do not
// contain, and may be empty. Records are the records to write or append. Acknowledge is nil unless
// each record must be durable before the next one is written. It sends the number of durable
// records and waits for the harness.
type Request struct {
	Cmd     string          `json:"cmd"`
	Seq     json.RawMessage `json:"seq"`
	Format  string          `json:"format"`
	Path    string          `json:"path"`
	Profile string          `json:"profile"`
	Context map[string]any  `json:"context"`
	Records []Record        `json:"records"`
	Asks    bool            `json:"acknowledge"`

	Acknowledge func(count int) `json:"-"`
}

// Number returns a non-negative number from the context, and whether the context has it.
func (r Request) Number(key string) (uint64, bool) {
	text, ok := r.Context[key].(json.Number)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(text.String(), 10, 64)
	return number, err == nil
}

// Record is a record that a reader released or a writer must write. At (the offset of its first
// header) and Size (up to the end of its last fragment) are set only if the reader reports them.
// Fields holds the additional fields of a record to write, which depend on the format.
type Record struct {
	At      *int64         `json:"at,omitempty"`
	Size    *int64         `json:"size,omitempty"`
	Payload string         `json:"payload"` // lower-case hexadecimal
	Fields  map[string]any `json:"-"`
}

// MarshalJSON encodes a record of an answer. A digest replaces payloads of more than 1 MiB, so that
// the reply does not exceed the harness's limits.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	if len(r.Payload) <= 2<<20 {
		return json.Marshal(plain(r))
	}
	return json.Marshal(struct {
		At     *int64 `json:"at,omitempty"`
		Size   *int64 `json:"size,omitempty"`
		Digest string `json:"payload_sha256"`
	}{r.At, r.Size, fmt.Sprintf("%x", sha256.Sum256(r.Bytes()))})
}

// UnmarshalJSON decodes a record to write.
func (r *Record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &r.Fields); err != nil {
		return err
	}
	r.Payload, _ = r.Fields["payload"].(string)
	delete(r.Fields, "payload")
	return nil
}

// Bytes returns the payload of a record to write.
func (r Record) Bytes() []byte {
	payload, err := hex.DecodeString(r.Payload)
	check(err)
	return payload
}

// Answer holds the parts of an answer that Go adapters return: the released records, and in Signals
// the reader's messages about damage. Each list is in order. Create an Answer with NewAnswer.
type Answer struct {
	Records []Record `json:"records"`
	Signals []string `json:"signals"`
}

// NewAnswer returns an answer without records or signals.
func NewAnswer() *Answer { return &Answer{[]Record{}, []string{}} }

// Release adds a complete record.
func (a *Answer) Release(payload []byte) {
	a.Records = append(a.Records, Record{Payload: hex.EncodeToString(payload)})
}

// Signal adds the reader's message about damage.
func (a *Answer) Signal(err error) { a.Signals = append(a.Signals, err.Error()) }

// Skip is the error with which Read or Write skips a request. Its text is the reason.
type Skip string

func (s Skip) Error() string { return string(s) }

// ModuleVersion returns the version of a module that is linked into this program, without the
// leading v.
func ModuleVersion(path string) string {
	info, _ := debug.ReadBuildInfo()
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path })
	return strings.TrimPrefix(info.Deps[i].Version, "v")
}

// Run serves the protocol until bye or the end of stdin, or the one-shot form. It never returns.
func Run(a Adapter) {
	a.Language = "Go"
	replies := json.NewEncoder(os.Stdout) // unbuffered: every reply is sent at once
	os.Stdout = os.Stderr                 // output of the implementation is not a reply
	if args := os.Args[1:]; len(args) == 3 && args[0] == "read" {
		r := a.serve(Request{Cmd: "read", Format: args[1], Path: args[2], Profile: "recover"})
		if r["answer"] == nil { // skipped or refused, which is not a failure
			check(replies.Encode(map[string]any{"skipped": r["skipped"]}))
		} else {
			check(replies.Encode(r["answer"]))
		}
		os.Exit(0)
	}
	requests := json.NewDecoder(os.Stdin) // unlike bufio.Scanner, it does not limit the line length
	requests.UseNumber()                  // a float64 cannot hold all 64-bit numbers
	for {
		var req Request
		if err := requests.Decode(&req); err == io.EOF || req.Cmd == "bye" {
			os.Exit(0)
		} else if check(err); req.Cmd == "hello" {
			check(replies.Encode(a))
		} else {
			if req.Asks && a.Acknowledges {
				req.Acknowledge = func(count int) {
					check(replies.Encode(map[string]any{"seq": req.Seq, "acknowledged": count}))
					var goOn Request
					check(requests.Decode(&goOn))
				}
			}
			check(replies.Encode(a.serve(req)))
		}
	}
}

// serve returns the reply to one read, write or append request.
func (a Adapter) serve(req Request) map[string]any {
	reply, profile, err := map[string]any{"seq": req.Seq}, req.Profile, error(nil)
	if req.Cmd != "read" {
		profile = req.Cmd
	}
	if !slices.Contains(a.Formats, req.Format) || !slices.Contains(a.Profiles, profile) {
		err = Skip(fmt.Sprintf("%s has no %q for %q", a.Name, profile, req.Format))
	} else if _, gone := os.Stat(req.Path); req.Cmd != "write" && os.IsNotExist(gone) {
		err = Skip("nothing is at this path")
	} else if req.Cmd == "read" {
		reply["answer"], err = a.Read(req)
	} else {
		err = a.Write(req)
	}
	if skip, ok := err.(Skip); ok {
		return map[string]any{"seq": req.Seq, "skipped": skip}
	} else if req.Cmd == "read" {
		check(err)
	} else if err != nil {
		reply["refused"] = err.Error()
	} else {
		reply["done"] = true
	}
	return reply
}

// check ends the process if the adapter or its environment is at fault, never for a damaged log.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "adapterkit:", err)
		os.Exit(1)
	}
}
