package main

import (
	"errors"
	"fmt"
	"io"
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

func save(w *wal.WAL, first, last uint64) {
	for index := first; index <= last; index++ {
		entry := raftpb.Entry{Term: 1, Index: index, Data: make([]byte, 100)}
		must(w.Save(raftpb.HardState{Term: 1, Commit: index}, []raftpb.Entry{entry}))
	}
}

func segments(folder string) []string {
	names, err := filepath.Glob(filepath.Join(folder, "*.wal"))
	must(err)
	return names
}

// last returns the index in the name of the last file, with which it begins.
func last(folder string) (index uint64) {
	var number uint64
	names := segments(folder)
	_, err := fmt.Sscanf(filepath.Base(names[len(names)-1]), "%016x-%016x.wal", &number, &index)
	must(err)
	return index
}

func main() {
	folder, err := os.MkdirTemp("", "wal")
	must(err)
	folder = filepath.Join(folder, "wal")
	wal.SegmentSizeBytes = 4096
	w, err := wal.Create(nil, folder, []byte("metadata"))
	must(err)
	save(w, 1, 40)
	must(w.Close())
	names := segments(folder)
	file := names[len(names)-1]
	data, err := os.ReadFile(file)
	must(err)
	data[6] ^= 1 // one bit in the length of the first frame
	must(os.WriteFile(file, data, 0o600))

	w, err = wal.Open(nil, folder, walpb.Snapshot{})
	must(err)
	_, _, _, err = w.ReadAll()
	w.Close()
	fmt.Printf("ReadAll: unexpected EOF %v\n", errors.Is(err, io.ErrUnexpectedEOF))
	fmt.Printf("Repair: %v\n", wal.Repair(nil, folder))
	info, err := os.Stat(file)
	must(err)
	fmt.Printf("last file after Repair: %d bytes\n", info.Size())

	w, err = wal.Open(nil, folder, walpb.Snapshot{})
	must(err)
	_, _, entries, err := w.ReadAll()
	fmt.Printf("ReadAll: %d of 40 entries, error %v\n", len(entries), err)
	next := uint64(len(entries)) + 1
	save(w, next, next)
	marker := walpb.Snapshot{Index: next, Term: 1, ConfState: &raftpb.ConfState{}}
	must(w.SaveSnapshot(marker))
	save(w, next+1, next+3)
	must(w.Close())

	w, err = wal.Open(nil, folder, marker)
	must(err)
	_, _, _, err = w.ReadAll()
	w.Close()
	fmt.Printf("after more entries, ReadAll at the snapshot %d: %v\n", next, err != nil)
	fmt.Printf("error: crc mismatch %v\n", errors.Is(err, walpb.ErrCRCMismatch) || errors.Is(err, wal.ErrCRCMismatch))
	fmt.Printf("Repair: %v\n", wal.Repair(nil, folder))
	w, err = wal.Open(nil, folder, walpb.Snapshot{})
	must(err)
	_, _, entries, err = w.ReadAll()
	fmt.Printf("ReadAll from the first file: %d entries, error %v\n", len(entries), err)
	os.Exit(1)
}
