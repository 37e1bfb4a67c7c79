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

var types = map[byte]string{1: "metadata", 2: "entry", 3: "state", 4: "crc", 5: "snapshot"}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func temporary() string {
	folder, err := os.MkdirTemp("", "wal")
	must(err)
	return folder
}

// written returns a WAL with four committed entries.
func written() []byte {
	folder := filepath.Join(temporary(), "wal")
	w, err := wal.Create(nil, folder, []byte("metadata"))
	must(err)
	for index := uint64(1); index <= 4; index++ {
		entry := raftpb.Entry{Term: 2, Index: index, Data: fmt.Appendf(nil, "value %d", index)}
		must(w.Save(raftpb.HardState{Term: 2, Vote: 7, Commit: index}, []raftpb.Entry{entry}))
	}
	must(w.Close())
	data, err := os.ReadFile(filepath.Join(folder, name))
	must(err)
	return data[:4096]
}

// opened returns all that ReadAll returns in write mode, as text.
func opened(data []byte) (text string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	folder := temporary()
	defer os.RemoveAll(folder)
	must(os.WriteFile(filepath.Join(folder, name), data, 0o600))
	w, err := wal.Open(nil, folder, walpb.Snapshot{})
	must(err)
	defer w.Close()
	metadata, state, entries, err := w.ReadAll()
	text = fmt.Sprintf("metadata %q, term %d, vote %d, commit %d", metadata, state.Term, state.Vote, state.Commit)
	for _, entry := range entries {
		text += fmt.Sprintf(", %d@%d %q", entry.Index, entry.Term, entry.Data)
	}
	return text, err
}

func main() {
	data := written()
	right, err := opened(data)
	must(err)
	fmt.Println("undamaged:", right)
	bits, accepted, panicked, failed := 0, 0, 0, 0
	shown := map[string]bool{}
	for at := 0; ; {
		length := binary.LittleEndian.Uint64(data[at:])
		if length == 0 {
			break
		}
		for bit := range 8 {
			damaged := append([]byte{}, data...)
			damaged[at+9] ^= 1 << bit // the type, after the length and the tag
			text, err := opened(damaged)
			bits++
			switch {
			case err == nil && text != right:
				accepted++
				change := types[data[at+9]] + " read as " + types[damaged[at+9]]
				if !shown[change] {
					fmt.Printf("%s at %d: %s\n", change, at, text)
				}
				shown[change] = true
			case err != nil && len(err.Error()) > 6 && err.Error()[:6] == "panic:":
				panicked++
			case err != nil:
				failed++
			}
		}
		at += 8 + int(length&(1<<56-1)) + int(length>>56&7)
	}
	fmt.Printf("with one of %d bits of types flipped: %d other answers without an error, %d errors, %d panics\n", bits, accepted, failed, panicked)
	os.Exit(1)
}
