//go:build etcd37

package main

import (
	"os"

	"google.golang.org/protobuf/proto"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

const module = "go.etcd.io/etcd/server/v3"

type (
	WAL    = wal.WAL
	Record = walpb.Record
)

var (
	segmentSize         = &wal.SegmentSizeBytes
	errCRCMismatch      = wal.ErrCRCMismatch
	errMetadataConflict = wal.ErrMetadataConflict
	errSnapshotNotFound = wal.ErrSnapshotNotFound
)

func newDecoder(files []*os.File) wal.Decoder {
	readers := make([]fileutil.FileReader, len(files))
	for i := range files {
		readers[i] = fileutil.NewFileReader(files[i])
	}
	return wal.NewDecoder(readers...)
}

func create(dir string, metadata []byte) (*WAL, error) { return wal.Create(nil, dir, metadata) }

func repair(dir string) bool { return wal.Repair(nil, dir) }

func parts(rec *Record) (int64, uint32, []byte) {
	return rec.GetType(), rec.GetCrc(), rec.GetData()
}

func open(dir string, index uint64) (*WAL, error) {
	return wal.Open(nil, dir, &walpb.Snapshot{Index: &index, Term: new(uint64)})
}

func readAll(w *WAL) error {
	_, _, _, err := w.ReadAll()
	return err
}

func saveOne(w *WAL, state []byte, entries [][]byte) error {
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

func saveMarker(w *WAL, payload []byte) error {
	snap := &walpb.Snapshot{}
	if err := proto.Unmarshal(payload, snap); err != nil {
		return err
	}
	return w.SaveSnapshot(snap)
}
