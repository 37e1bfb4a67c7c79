//go:build etcd35

package main

import (
	"os"
	"unsafe"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/wal"
	"go.etcd.io/etcd/server/v3/wal/walpb"
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

//go:linkname newInner go.etcd.io/etcd/server/v3/wal.newDecoder
func newInner(readers ...fileutil.FileReader) unsafe.Pointer

//go:linkname decode go.etcd.io/etcd/server/v3/wal.(*decoder).decode
func decode(inner unsafe.Pointer, rec *Record) error

//go:linkname updateCRC go.etcd.io/etcd/server/v3/wal.(*decoder).updateCRC
func updateCRC(inner unsafe.Pointer, crc uint32)

//go:linkname lastCRC go.etcd.io/etcd/server/v3/wal.(*decoder).lastCRC
func lastCRC(inner unsafe.Pointer) uint32

func newDecoder(files []*os.File) decoder {
	readers := make([]fileutil.FileReader, len(files))
	for i := range files {
		readers[i] = fileutil.NewFileReader(files[i])
	}
	return decoder{newInner(readers...)}
}

func create(dir string, metadata []byte) (*WAL, error) { return wal.Create(nil, dir, metadata) }

func open(dir string, index uint64) (*WAL, error) { return wal.Open(nil, dir, Snapshot{Index: index}) }

func repair(dir string) bool { return wal.Repair(nil, dir) }
