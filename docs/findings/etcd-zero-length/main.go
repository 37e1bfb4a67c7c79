package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

const name = "0000000000000000-0000000000000000.wal"

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// written returns a WAL with ten entries, each of which Save has synced.
func written() []byte {
	folder := filepath.Join(temporary(), "wal")
	w, err := wal.Create(nil, folder, []byte("metadata"))
	must(err)
	for index := uint64(1); index <= 10; index++ {
		entry := raftpb.Entry{Term: 1, Index: index, Data: fmt.Appendf(nil, "value %02d %080d", index, index)}
		must(w.Save(raftpb.HardState{Term: 1, Commit: index}, []raftpb.Entry{entry}))
	}
	must(w.Close())
	data, err := os.ReadFile(filepath.Join(folder, name))
	must(err)
	return data
}

func temporary() string {
	folder, err := os.MkdirTemp("", "wal")
	must(err)
	return folder
}

// opened does what etcd does with its WAL when it starts: Open, ReadAll, and Repair once. It returns
// the number of entries and of .broken files.
func opened(data []byte) (entries, copies int, err error) {
	folder := temporary()
	defer os.RemoveAll(folder)
	must(os.WriteFile(filepath.Join(folder, name), data, 0o600))
	for range 2 {
		var w *wal.WAL
		var found []raftpb.Entry
		w, err = wal.Open(nil, folder, walpb.Snapshot{})
		must(err)
		_, _, found, err = w.ReadAll()
		w.Close()
		if err == nil {
			broken, _ := filepath.Glob(filepath.Join(folder, "*.broken"))
			return len(found), len(broken), nil
		}
		if !wal.Repair(nil, folder) {
			break
		}
	}
	return 0, 0, err
}

func main() {
	data := written()[:64<<10]
	fmt.Print("undamaged: ")
	fmt.Println(opened(data))

	fmt.Println("with the length of one frame set to zero:")
	end, silent, frames := 0, 0, 0
	for at := 0; ; {
		length := binary.LittleEndian.Uint64(data[at:])
		if length == 0 {
			end = at
			break
		}
		damaged := append([]byte{}, data...)
		copy(damaged[at:], make([]byte, 8))
		entries, copies, err := opened(damaged)
		if frames++; frames == 8 {
			fmt.Printf("frame 8, which holds entry 3: %d of 10 entries, %d copies of the file, error %v\n", entries, copies, err)
		}
		if entries < 10 && copies == 0 && err == nil {
			silent++
		}
		at += 8 + int(length&(1<<56-1)) + int(length>>56&7)
	}
	fmt.Printf("%d of %d frames: entries lost, no copy, no error\n", silent, frames)

	silent, cut, failed := 0, 0, 0
	for at := 0; at < end; at += 512 {
		damaged := append([]byte{}, data...)
		copy(damaged[at:min(at+512, end)], make([]byte, 512))
		switch entries, copies, err := opened(damaged); {
		case err != nil:
			failed++
		case copies > 0:
			cut++
		case entries < 10:
			silent++
		}
	}
	fmt.Printf("with one sector of 512 bytes set to zero: %d silent, %d cut by Repair, %d failed\n", silent, cut, failed)

	bits := 0
	silent, cut, failed = 0, 0, 0
	for at := 0; at < end; {
		length := binary.LittleEndian.Uint64(data[at:])
		for bit := range 64 {
			damaged := append([]byte{}, data...)
			damaged[at+bit/8] ^= 1 << (bit % 8)
			bits++
			switch entries, copies, err := opened(damaged); {
			case err != nil:
				failed++
			case copies > 0:
				cut++
			case entries < 10:
				silent++
			}
		}
		at += 8 + int(length&(1<<56-1)) + int(length>>56&7)
	}
	fmt.Printf("with one of %d bits of lengths flipped: %d silent, %d cut by Repair, %d failed\n", bits, silent, cut, failed)
	os.Exit(1)
}
