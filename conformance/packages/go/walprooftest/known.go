package walprooftest

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
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
}

func loadKnown(file string) (*knownFailures, error) {
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

var pin = regexp.MustCompile(`\[[0-9a-f]{8}\]$`)

// samePin compares what was said, of a read of one log; else the class is all.
func samePin(difference string, found result) bool {
	one, other := pin.FindString(difference), pin.FindString(found.Difference)
	reads := found.Profile == "recover" || found.Profile == "strict"
	return !reads || strings.HasPrefix(found.Difference, "prefix of ") || one == "" || other == "" || one == other
}
