//go:build !etcd37

package main

import (
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

func parts(rec *walpb.Record) (int64, uint32, []byte) { return rec.Type, rec.Crc, rec.Data }

func open(dir string, index uint64) (*wal.WAL, error) {
	return wal.Open(nil, dir, walpb.Snapshot{Index: index})
}

func readAll(w *wal.WAL) error {
	_, _, _, err := w.ReadAll()
	return err
}

func saveOne(w *wal.WAL, state []byte, entries [][]byte) error {
	var hard raftpb.HardState
	if err := hard.Unmarshal(state); err != nil {
		return err
	}
	list := make([]raftpb.Entry, len(entries))
	for i := range entries {
		if err := list[i].Unmarshal(entries[i]); err != nil {
			return err
		}
	}
	return w.Save(hard, list)
}

func saveMarker(w *wal.WAL, payload []byte) error {
	var snap walpb.Snapshot
	if err := snap.Unmarshal(payload); err != nil {
		return err
	}
	return w.SaveSnapshot(snap)
}
