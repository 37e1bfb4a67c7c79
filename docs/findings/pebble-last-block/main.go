package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// recovered writes keys with pebble.Sync, flips one bit of the second value in a copy of the
// directory, as a killed process leaves it, and counts the keys that Open recovers from the copy.
func recovered(keys int) (int, error) {
	folder, err := os.MkdirTemp("", "pebble")
	must(err)
	options := func() *pebble.Options {
		return &pebble.Options{FormatMajorVersion: pebble.FormatNewest}
	}
	source, crashed := filepath.Join(folder, "source"), filepath.Join(folder, "crashed")
	db, err := pebble.Open(source, options())
	must(err)
	must(db.Close())
	db, err = pebble.Open(source, options()) // this WAL has sync offsets; the first WAL has none
	must(err)
	for n := 0; n < keys; n++ {
		must(db.Set(fmt.Appendf(nil, "key%05d", n), fmt.Appendf(nil, "value%05d", n), pebble.Sync))
	}
	must(os.Mkdir(crashed, 0o777))
	files, err := os.ReadDir(source)
	must(err)
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(source, file.Name()))
		must(err)
		if at := bytes.Index(data, []byte("value00001")); at >= 0 {
			data[at] ^= 1
		}
		must(os.WriteFile(filepath.Join(crashed, file.Name()), data, 0o666))
	}
	must(db.Close())

	db, err = pebble.Open(crashed, options())
	if err != nil {
		return 0, err
	}
	defer db.Close()
	iterator, err := db.NewIter(nil)
	must(err)
	defer iterator.Close()
	found := 0
	for iterator.First(); iterator.Valid(); iterator.Next() {
		found++
	}
	return found, nil
}

func main() {
	status := 0
	for _, keys := range []int{16, 3000} {
		if found, err := recovered(keys); err != nil {
			fmt.Printf("%d keys: Open failed\n", keys)
		} else {
			fmt.Printf("%d keys: Open succeeded with %d\n", keys, found)
			status = 1
		}
	}
	os.Exit(status)
}
