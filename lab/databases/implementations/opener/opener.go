// Package opener is what the programs in Go have in common: opener.py says what they are told and what they print.
package opener

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// More and Written are what is put once the system is open.
const (
	More    = "more"
	Written = "written after the damage"
)

// System is a key-value store. Make makes an empty database in a folder and leaves it. Twice opens it as a mode says.
type System struct {
	Make  func(folder string) error
	Twice func(mode, folder string) error
}

// Run does what the command line says.
func Run(system System) {
	mode, folder, log := os.Args[1], os.Args[2], os.Args[3]
	must(system.Make(folder))
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	must(err)
	if len(logs) == 0 {
		must(fmt.Errorf("no log in an empty database"))
	}
	sort.Strings(logs)
	data, err := os.ReadFile(log)
	must(err)
	must(os.WriteFile(logs[len(logs)-1], data, 0o666))
	if err := system.Twice(mode, folder); err != nil {
		print(map[string]string{"refused": err.Error()})
	}
}

// Item prints what a system returns, Later what it returns when it is opened again.
func Item(name, value []byte) { pair("item", name, value) }

// Later is what is returned after one more was written and the system was opened again.
func Later(name, value []byte) { pair("later", name, value) }

// Again says that one more was written, and that the system is going to be opened again.
func Again() { print(map[string]bool{"again": true}) }

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
