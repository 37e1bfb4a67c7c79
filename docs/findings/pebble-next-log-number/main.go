// Flips one bit in the log number of the second record of a log of 400 synced writes.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

func open(folder string) (*pebble.DB, error) {
	return pebble.Open(folder, &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest, Logger: quiet{},
	})
}

// opened returns the result of Open for a killed database in which one bit was flipped, at an
// offset of the second record of its log.
func opened(offset int) string {
	folder, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(folder)
	made, left := filepath.Join(folder, "made"), filepath.Join(folder, "left")
	db, err := open(made)
	must(err)
	must(db.Close()) // the first log of a database is of the oldest format
	db, err = open(made)
	must(err)
	for n := 0; n < 400; n++ {
		must(db.Set([]byte(fmt.Sprintf("key%03d", n)), make([]byte, 1000), pebble.Sync))
	}
	must(os.Mkdir(left, 0o777))
	files, err := os.ReadDir(made)
	must(err)
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(made, file.Name()))
		must(err)
		if strings.HasSuffix(file.Name(), ".log") && len(data) > 400000 {
			second := 19 + int(binary.LittleEndian.Uint16(data[4:]))
			data[second+offset] ^= 1
		}
		must(os.WriteFile(filepath.Join(left, file.Name()), data, 0o666))
	}
	must(db.Close())

	db, err = open(left)
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
	return fmt.Sprintf("no error and %d of 400 keys", keys)
}

func main() {
	number := opened(7)
	fmt.Println("bit of the value flipped:", opened(100))
	fmt.Println("bit of the log number flipped:", number)
	if number != "an error" {
		os.Exit(1)
	}
}
