package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// digests returns the names of the files of a folder and what is in them.
func digests(folder string) string {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	must(err)
	out := ""
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(err)
		out += fmt.Sprintf("%s %x\n", filepath.Base(name), sha256.Sum256(data))
	}
	return out
}

func main() {
	folder, err := os.MkdirTemp("", "wal")
	must(err)
	folder = filepath.Join(folder, "wal")
	wal.SegmentSizeBytes = 4096
	w, err := wal.Create(nil, folder, []byte("metadata"))
	must(err)
	for index := uint64(1); index <= 60; index++ {
		entry := raftpb.Entry{Term: 1, Index: index, Data: make([]byte, 100)}
		must(w.Save(raftpb.HardState{Term: 1, Commit: index}, []raftpb.Entry{entry}))
	}
	must(w.Close())
	names, err := filepath.Glob(filepath.Join(folder, "*.wal"))
	must(err)
	info, err := os.Stat(names[0])
	must(err)
	must(os.Truncate(names[0], info.Size()-4)) // inside the last record of the first file
	fmt.Printf("%d files, the first ends inside a record\n", len(names))

	read := func(open func() (*wal.WAL, error)) {
		w, err := open()
		must(err)
		_, _, entries, err := w.ReadAll()
		fmt.Printf("ReadAll: %d of 60 entries, error %v\n", len(entries), err)
		w.Close()
	}
	write := func() (*wal.WAL, error) { return wal.Open(nil, folder, walpb.Snapshot{}) }
	fmt.Print("write mode: ")
	read(write)
	before := digests(folder)
	fmt.Printf("Repair: %v\n", wal.Repair(nil, folder))
	fmt.Printf("files changed: %v\n", digests(folder) != before)
	fmt.Print("write mode: ")
	read(write)
	fmt.Print("read mode: ")
	read(func() (*wal.WAL, error) { return wal.OpenForRead(nil, folder, walpb.Snapshot{}) })
	_, err = wal.Verify(nil, folder, walpb.Snapshot{})
	fmt.Printf("Verify: %v\n", err)
	os.Exit(1)
}
