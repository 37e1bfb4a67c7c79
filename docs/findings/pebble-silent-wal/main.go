package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
)

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func open(folder string, version pebble.FormatMajorVersion) (*pebble.DB, error) {
	return pebble.Open(folder, &pebble.Options{FormatMajorVersion: version, Logger: quiet{}})
}

func opened(version pebble.FormatMajorVersion) string {
	folder, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(folder)
	made, left := filepath.Join(folder, "made"), filepath.Join(folder, "left")
	db, err := open(made, version)
	must(err)
	must(db.Close()) // the first log of a database is of the oldest format
	db, err = open(made, version)
	must(err)
	for n := 0; n < 16; n++ {
		must(db.Set([]byte(fmt.Sprintf("key%02d", n)), []byte(fmt.Sprintf("value%02d", n)), pebble.Sync))
	}
	// What a killed process leaves, with one bit of the second value flipped.
	must(os.Mkdir(left, 0o777))
	files, err := os.ReadDir(made)
	must(err)
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(made, file.Name()))
		must(err)
		if at := bytes.Index(data, []byte("value01")); at >= 0 {
			data[at] ^= 1
		}
		must(os.WriteFile(filepath.Join(left, file.Name()), data, 0o666))
	}
	must(db.Close())

	db, err = open(left, version)
	if err != nil {
		return "an error"
	}
	defer db.Close()
	iterator, err := db.NewIter(nil)
	must(err)
	defer iterator.Close()
	keys := 0
	for iterator.First(); iterator.Valid(); iterator.Next() {
		keys++
	}
	return fmt.Sprintf("no error and %d of 16 keys", keys)
}

func main() {
	fmt.Println("expected: an error, or a word and 15 of 16 keys")
	fmt.Printf("actual:   oldest format: %s; newest format: %s\n", opened(pebble.FormatMinSupported), opened(pebble.FormatNewest))
}
