package walprooftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// listed is an entry of a list of known failures.
type listed struct {
	Vector     string `json:"vector"`
	Profile    string `json:"profile"`
	Result     string `json:"result"`
	Difference string `json:"difference"`
	Cause      string `json:"cause"`
}

// knownFailures is the list: the form that walproof check writes.
type knownFailures struct {
	Causes   map[string]string `json:"causes"`
	Failures []listed          `json:"failures"`
	file     string
	updates  bool // whether what is found is written to the file
}

// unexplained is the cause of what is new on a list: nobody has looked yet.
const unexplained = "unexplained"

// updating is held while a list is written: several tests may have the same one.
var updating sync.Mutex

// loadKnown is the list in a file, which WALPROOF_UPDATE_KNOWN=1 has written.
func loadKnown(file string) (*knownFailures, error) {
	updates := os.Getenv("WALPROOF_UPDATE_KNOWN") == "1"
	if updates && file == "" {
		return nil, errors.New("WALPROOF_UPDATE_KNOWN is set, and no file of known failures is named")
	}
	known, err := readKnown(file)
	if err == nil {
		known.updates = updates
	}
	return known, err
}

func readKnown(file string) (*knownFailures, error) {
	known := &knownFailures{Causes: map[string]string{}, file: file}
	if file == "" {
		return known, nil
	}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(data, known)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, one := range known.Failures {
		if _, is := known.Causes[one.Cause]; !is {
			return nil, fmt.Errorf("%s: %s: the cause %q is not there", file, one.Vector, one.Cause)
		}
	}
	return known, nil
}

// strangers are what is listed of a format and is no vector any more.
func (k *knownFailures) strangers(format string, set []*Vector) []string {
	found := []string{}
	for _, one := range k.Failures {
		of := strings.HasPrefix(one.Vector, format+"/")
		if of && !slices.ContainsFunc(set, func(v *Vector) bool { return v.ID == one.Vector }) {
			found = append(found, one.Vector)
		}
	}
	return found
}

func (k *knownFailures) at(vector, profile string) int {
	return slices.IndexFunc(k.Failures, func(one listed) bool { return one.Vector == vector && one.Profile == profile })
}

// compared is a result, held against the list.
func (k *knownFailures) compared(found result) result {
	at := k.at(found.Vector, found.Profile)
	if at < 0 || found.Class == "skipped" {
		return found
	}
	entry := k.Failures[at]
	switch {
	case found.Class == "pass":
		found.Class, found.cause = "unexpected-pass", "listed as a known failure, but right"
	case entry.Result == found.Class && samePin(entry.Difference, found):
		found.Class, found.cause = "known-failure", k.Causes[entry.Cause]
	default:
		found.cause = "listed with another failure: " + entry.Result + " " + entry.Difference
	}
	return found
}

// updated writes a result to the list, if it is not there.
func (k *knownFailures) updated(found result) (result, error) {
	updating.Lock()
	defer updating.Unlock()
	held := k.compared(found)
	if held.Class == "pass" || held.Class == "skipped" || held.Class == "known-failure" {
		return held, nil
	}
	fresh, err := readKnown(k.file) // another test may have written to it
	if err != nil {
		return held, err
	}
	k.Causes, k.Failures = fresh.Causes, fresh.Failures
	entry := listed{found.Vector, found.Profile, found.Class, found.Difference, unexplained}
	if at := k.at(found.Vector, found.Profile); at >= 0 {
		entry.Cause = k.Failures[at].Cause
		k.Failures = slices.Delete(k.Failures, at, at+1)
	}
	if found.Class == "pass" {
		found.cause = "taken off " + k.file
	} else {
		k.Failures = append(k.Failures, entry)
		found.Class, found.cause = "known-failure", "written to "+k.file+", cause "+entry.Cause
	}
	return found, k.save()
}

// forget takes off the list what is about vectors that are no more.
func (k *knownFailures) forget(vectors []string) error {
	updating.Lock()
	defer updating.Unlock()
	k.Failures = slices.DeleteFunc(k.Failures, func(one listed) bool { return slices.Contains(vectors, one.Vector) })
	return k.save()
}

// save writes the list; an empty one is removed.
func (k *knownFailures) save() error {
	if len(k.Failures) == 0 {
		if err := os.Remove(k.file); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	slices.SortFunc(k.Failures, func(one, other listed) int {
		if one.Vector != other.Vector {
			return strings.Compare(one.Vector, other.Vector)
		}
		return strings.Compare(one.Profile, other.Profile)
	})
	used := map[string]string{}
	for _, one := range k.Failures {
		used[one.Cause] = k.Causes[one.Cause]
	}
	k.Causes = used
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(k); err != nil {
		return err
	}
	return os.WriteFile(k.file, text.Bytes(), 0o644)
}

var pin = regexp.MustCompile(`\[[0-9a-f]{8}\]$`)

// samePin compares what was said, of a read of one log; else the class is all.
func samePin(difference string, found result) bool {
	one, other := pin.FindString(difference), pin.FindString(found.Difference)
	reads := found.Profile == "recover" || found.Profile == "strict"
	return !reads || strings.HasPrefix(found.Difference, "prefix of ") || one == "" || other == "" || one == other
}
