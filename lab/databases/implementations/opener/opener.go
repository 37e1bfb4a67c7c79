// Package opener is what the programs in Go have in common: opener.py says what they are told and what they print.
package opener

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// More and Written are what is put once the system is open.
const (
	More    = "more"
	Written = "written after the damage"
)

// System is a database. Make makes an empty one in a folder and closes it. Twice opens it in a mode. Log is the file name
// of its log; a system without Log has files NUMBER.log, and the last one is replaced.
type System struct {
	Make  func(folder string) error
	Twice func(mode, folder string) error
	Log   string
}

// Run does what the command line says.
func Run(system System) {
	mode, folder, log := os.Args[1], os.Args[2], os.Args[3]
	must(system.Make(folder))
	replaced = filepath.Join(folder, system.Log)
	if system.Log == "" {
		replaced = replacedLog(folder, filepath.Base(log))
	}
	var err error
	contents, err = os.ReadFile(log)
	must(err)
	must(os.WriteFile(replaced, contents, 0o666))
	if err := system.Twice(mode, folder); err != nil {
		reportLog()
		print(map[string]string{"refused": err.Error()})
	}
}

// replacedLog removes the last numbered log of a folder. It returns its path, or that of the log to open if the name of
// that one is a number too.
func replacedLog(folder, name string) string {
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	must(err)
	if len(logs) == 0 {
		must(fmt.Errorf("no log in an empty database"))
	}
	sort.Strings(logs)
	last := logs[len(logs)-1]
	must(os.Remove(last))
	if _, err := strconv.Atoi(strings.TrimSuffix(name, ".log")); err == nil {
		return filepath.Join(folder, name)
	}
	return last
}

// Item prints what a system returns, Later what it returns when it is opened again.
func Item(name, value []byte) { pair("item", name, value) }

// Later is what is returned after one more was written and the system was opened again.
func Later(name, value []byte) { pair("later", name, value) }

// Again says that one more was written, and that the system is going to be opened again.
func Again() {
	reportLog()
	print(map[string]bool{"again": true})
}

// replaced is the log in the database's folder, contents what was in it.
var (
	replaced string
	contents []byte
)

// reportLog prints what became of the log. The databases in Go do not move logs.
func reportLog() {
	state := "rewritten"
	if left, err := os.ReadFile(replaced); os.IsNotExist(err) {
		state = "deleted"
	} else if must(err); bytes.Equal(left, contents) {
		state = "kept"
	}
	print(map[string]string{"log": state})
}

// Say prints a line that the system wrote for people.
func Say(text string) { print(map[string]string{"said": text}) }

func pair(kind string, name, value []byte) {
	print(map[string][]string{kind: {hex.EncodeToString(name), hex.EncodeToString(value)}})
}

func print(line any) {
	text, err := json.Marshal(line)
	must(err)
	fmt.Println(string(text))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(70)
	}
}
