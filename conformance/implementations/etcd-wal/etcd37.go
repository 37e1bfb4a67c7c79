//go:build etcd37

package main

import (
	"google.golang.org/protobuf/proto"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

func parts(rec *walpb.Record) (int64, uint32, []byte) {
	return rec.GetType(), rec.GetCrc(), rec.GetData()
}

func open(dir string, index uint64) (*wal.WAL, error) {
	return wal.Open(nil, dir, &walpb.Snapshot{Index: &index, Term: new(uint64)})
}

func readAll(w *wal.WAL) error {
	_, _, _, err := w.ReadAll()
	return err
}

func saveOne(w *wal.WAL, state []byte, entries [][]byte) error {
	hard := &raftpb.HardState{}
	if err := proto.Unmarshal(state, hard); err != nil {
		return err
	}
	list := make([]*raftpb.Entry, len(entries))
	for i := range entries {
		list[i] = &raftpb.Entry{}
		if err := proto.Unmarshal(entries[i], list[i]); err != nil {
			return err
		}
	}
	return w.Save(hard, list)
}

func saveMarker(w *wal.WAL, payload []byte) error {
	snap := &walpb.Snapshot{}
	if err := proto.Unmarshal(payload, snap); err != nil {
		return err
	}
	return w.SaveSnapshot(snap)
}
