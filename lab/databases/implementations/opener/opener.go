// Package opener is the common part of the programs in Go; opener.py describes their arguments and their output.
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

// More and Written are the name and the value of the item that a program writes to the opened system.
const (
	More    = "more"
	Written = "written after the damage"
)

// System is a database. Make creates an empty database in a folder and closes it. Twice opens the database in a mode,
// writes one item, and opens it again. Log is the file name of the database's log; a system without Log has files
// NUMBER.log, of which the last one is replaced. If the log to open is a folder, it is copied to Log.
type System struct {
	Make  func(folder string) error
	Twice func(mode, folder string) error
	Log   string
}

// Run executes the command line.
func Run(system System) {
	mode, folder, log := os.Args[1], os.Args[2], os.Args[3]
	must(system.Make(folder))
	replaced = filepath.Join(folder, system.Log)
	if system.Log == "" {
		replaced = replacedLog(folder, filepath.Base(log))
	}
	contents = files(log)
	for name, data := range contents {
		path := filepath.Join(replaced, name)
		must(os.MkdirAll(filepath.Dir(path), 0o777))
		must(os.WriteFile(path, data, 0o666))
	}
	if err := system.Twice(mode, folder); err != nil {
		reportLog()
		print(map[string]string{"refused": err.Error()})
	}
}

// replacedLog removes the last numbered log of a folder and returns its path. If the name of the log to open is a
// number, too, replacedLog returns the path of this name instead.
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

// Item prints an item that a system returns when it is first opened.
func Item(name, value []byte) { pair("item", name, value) }

// Later prints an item that a system returns when it is opened again after a write.
func Later(name, value []byte) { pair("later", name, value) }

// Again reports that an item was written, and that the system will be opened again.
func Again() {
	reportLog()
	print(map[string]bool{"again": true})
}

// replaced is the path of the log in the database's folder; contents are its files before the database was opened.
var (
	replaced string
	contents map[string][]byte
)

// files returns the contents of the files of a log by their paths in the log. The path of a single file is empty.
func files(log string) map[string][]byte {
	found := map[string][]byte{}
	must(filepath.WalkDir(log, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, log)] = data
		return err
	}))
	return found
}

// reportLog prints the state of the log after the database was opened: deleted if one of its files is. Files that the
// database added do not count. The databases in Go do not move logs.
func reportLog() {
	state := "kept"
	for name, data := range contents {
		if left, err := os.ReadFile(replaced + name); os.IsNotExist(err) {
			state = "deleted"
			break
		} else if must(err); !bytes.Equal(left, data) {
			state = "rewritten"
		}
	}
	print(map[string]string{"log": state})
}

// Say prints a message of the system.
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
