//go:build etcd33

package main

import (
	"io"
	"os"
	"unsafe"

	"github.com/coreos/etcd/raft/raftpb"
	"github.com/coreos/etcd/wal"
	"github.com/coreos/etcd/wal/walpb"
)

const module = "github.com/coreos/etcd"

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

//go:linkname newInner github.com/coreos/etcd/wal.newDecoder
func newInner(readers ...io.Reader) unsafe.Pointer

//go:linkname decode github.com/coreos/etcd/wal.(*decoder).decode
func decode(inner unsafe.Pointer, rec *Record) error

//go:linkname updateCRC github.com/coreos/etcd/wal.(*decoder).updateCRC
func updateCRC(inner unsafe.Pointer, crc uint32)

//go:linkname lastCRC github.com/coreos/etcd/wal.(*decoder).lastCRC
func lastCRC(inner unsafe.Pointer) uint32

func newDecoder(files []*os.File) decoder {
	readers := make([]io.Reader, len(files))
	for i := range files {
		readers[i] = files[i]
	}
	return decoder{newInner(readers...)}
}

func create(dir string, metadata []byte) (*WAL, error) { return wal.Create(dir, metadata) }

func open(dir string, index uint64) (*WAL, error) { return wal.Open(dir, Snapshot{Index: index}) }

func repair(dir string) bool { return wal.Repair(dir) }
