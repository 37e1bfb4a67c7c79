package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/golang/leveldb"
	"github.com/golang/leveldb/db"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	folder, err := os.MkdirTemp("", "leveldb")
	must(err)
	d, err := leveldb.Open(folder, nil)
	must(err)
	for n := 0; n < 4; n++ {
		must(d.Set([]byte(fmt.Sprint("key", n)), []byte(fmt.Sprint("value", n)), &db.WriteOptions{Sync: true}))
	}
	must(d.Close())

	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	must(err)
	log := logs[len(logs)-1]
	data, err := os.ReadFile(log)
	must(err)
	second := 7 + int(data[4]) // offset of the second record
	copy(data[second:], make([]byte, 7))
	must(os.WriteFile(log, data, 0o666))

	d, err = leveldb.Open(folder, nil)
	fmt.Println("open:", err)
	if err != nil {
		return
	}
	missing := 0
	for n := 0; n < 4; n++ {
		value, err := d.Get([]byte(fmt.Sprint("key", n)), nil)
		fmt.Printf("key%d: %q %v\n", n, value, err)
		if err != nil {
			missing++
		}
	}
	if missing > 0 {
		os.Exit(1)
	}
}
