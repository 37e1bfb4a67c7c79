//go:build !etcd33 && !etcd35 && !etcd37

package main

import (
	"os"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
)

const module = "go.etcd.io/etcd/server/v3"

type (
	WAL       = wal.WAL
	Record    = walpb.Record
	Snapshot  = walpb.Snapshot
	HardState = raftpb.HardState
	Entry     = raftpb.Entry
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

func open(dir string, index uint64) (*WAL, error) { return wal.Open(nil, dir, Snapshot{Index: index}) }

func repair(dir string) bool { return wal.Repair(nil, dir) }
