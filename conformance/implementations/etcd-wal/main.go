// Adapter for etcd's package storage/wal, which was server/wal before 3.6 and wal before 3.5. As `etcd-wal`, it
// reads with the decoder of the package, in the loop of WAL.ReadAll in read mode, and writes with wal.Create, Save
// and SaveSnapshot. With ETCD_START, it opens a copy of the log as etcd does when it starts: Open and ReadAll in
// write mode, and Repair once after an unexpected EOF. It then returns the records in the copy.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"walproof/adapterkit"
)

const firstName = "0000000000000000-0000000000000000.wal"

// Record types, which releases before 3.6 do not export.
const (
	metadataType = 1
	stateType    = 3
	crcType      = 4
	snapshotType = 5
)

func main() {
	adapter := adapterkit.Adapter{
		Name:     os.Getenv("WALPROOF_NAME"),
		Version:  strings.TrimSuffix(adapterkit.ModuleVersion(module), "+incompatible"),
		Formats:  []string{"etcd-wal"},
		Profiles: []string{"recover", "write"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://github.com/etcd-io/etcd",
		Issues:   "https://github.com/etcd-io/etcd/issues",
		Read:     read,
		Write:    write,
	}
	if len(os.Args) == 4 && os.Args[1] == "bench" {
		bench(os.Args[2], os.Args[3])
		return
	}
	if os.Getenv("ETCD_START") != "" {
		adapter.Profiles = []string{"recover", "write", "append"}
		adapter.Acknowledges = true
		adapter.Read, adapter.Write = readAfterStart, writeOrAppend
	}
	adapterkit.Run(adapter)
}

// read returns the records of a log up to the first error. ReadAll accepts io.ErrUnexpectedEOF in read mode, so
// this error is not a signal.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	dir, err := copied(req.Path)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return records(dir)
}

func readAfterStart(req adapterkit.Request) (*adapterkit.Answer, error) {
	dir, err := copied(req.Path)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	w, err := start(dir)
	if err != nil {
		answer := adapterkit.NewAnswer()
		answer.Signal(err)
		return answer, nil
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return records(dir)
}

// start opens a folder as openWALFromSnapshot does (server/storage/wal.go and etcdserver/bootstrap.go). It calls
// Repair once, and only after io.ErrUnexpectedEOF. The snapshot is the one before the first file.
func start(dir string) (*WAL, error) {
	repaired := false
	for {
		w, err := open(dir, firstIndex(dir))
		if err != nil {
			return nil, err
		}
		err = readAll(w)
		if err == nil || errors.Is(err, errSnapshotNotFound) {
			return w, nil
		}
		w.Close()
		if repaired || !errors.Is(err, io.ErrUnexpectedEOF) || !repair(dir) {
			return nil, err
		}
		repaired = true
	}
}

// names returns the segments of a folder in the order of ReadAll, which sorts their names as text.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	check(err)
	var found []string
	for _, entry := range entries {
		var number, index uint64
		name := entry.Name()
		if _, err := fmt.Sscanf(name, "%016x-%016x.wal", &number, &index); err == nil && strings.HasSuffix(name, ".wal") {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func firstIndex(dir string) uint64 {
	var number, index uint64
	if found := names(dir); len(found) > 0 {
		fmt.Sscanf(found[0], "%016x-%016x.wal", &number, &index)
	}
	return index
}

// records is the loop of ReadAll in read mode. The metadata and the state that the head of a later
// file repeats are framing. Records after an unexpected EOF are not read.
func records(dir string) (*adapterkit.Answer, error) {
	answer := adapterkit.NewAnswer()
	var files []*os.File
	for _, name := range names(dir) {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && !info.IsDir() {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		answer.Signal(fmt.Errorf("no segments: %w", os.ErrNotExist))
		return answer, nil
	}
	decoder := newDecoder(files)
	var metadata, state []byte
	rec, heads, inHead := &Record{}, 0, 0
	for {
		if err := decoder.Decode(rec); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				answer.Signal(err)
			}
			return answer, nil
		}
		kind, crc, data := parts(rec)
		if kind == crcType {
			if last := decoder.LastCRC(); last != 0 && last != crc {
				answer.Signal(errCRCMismatch)
				return answer, nil
			}
			decoder.UpdateCRC(crc)
			heads, inHead = heads+1, 2
			continue
		}
		if kind < metadataType || kind > snapshotType {
			answer.Signal(fmt.Errorf("unexpected block type %d", kind))
			return answer, nil
		}
		isRepeated := heads > 1 && inHead > 0 &&
			(kind == metadataType && metadata != nil && bytes.Equal(data, metadata) ||
				kind == stateType && state != nil && bytes.Equal(data, state))
		if inHead--; kind == metadataType {
			if metadata != nil && !bytes.Equal(metadata, data) {
				answer.Signal(errMetadataConflict)
				return answer, nil
			}
			metadata = append([]byte{}, data...)
		} else if kind == stateType {
			state = append([]byte{}, data...)
		} else {
			inHead = 0
		}
		if !isRepeated {
			answer.Release(data)
		}
	}
}

// copied returns a folder with a copy of a log.
func copied(log string) (string, error) {
	dir, err := os.MkdirTemp("", "etcd-wal")
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(log); err == nil && !info.IsDir() {
		return dir, copyFile(log, filepath.Join(dir, firstName))
	}
	return dir, os.CopyFS(dir, os.DirFS(log))
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// setSegmentSize sets the size of segments. By default, etcd preallocates 64 MB.
func setSegmentSize(req adapterkit.Request) (isFolder bool, err error) {
	size, _ := req.Number("segment_size")
	if isFolder, _ = req.Context["folder"].(bool); size == 0 {
		return false, adapterkit.Skip("etcd preallocates every segment")
	}
	*segmentSize = int64(min(size, math.MaxInt32))
	return isFolder, nil
}

func write(req adapterkit.Request) error {
	isFolder, err := setSegmentSize(req)
	if err != nil {
		return err
	}
	if len(req.Records) < 2 || req.Records[0].Fields["record_type"] != "metadata" ||
		req.Records[1].Fields["record_type"] != "snapshot" || req.Records[1].Payload != "08001000" {
		return adapterkit.Skip("etcd begins each log with metadata and the marker of the snapshot 0")
	}
	if !isFolder {
		return adapterkit.Skip("etcd writes a folder")
	}
	w, err := create(req.Path, req.Records[0].Bytes())
	if err != nil {
		return err
	}
	if req.Acknowledge != nil {
		req.Acknowledge(1)
		req.Acknowledge(2)
	}
	if err := save(w, req, req.Records[2:]); err != nil {
		return err
	}
	return w.Close()
}

func writeOrAppend(req adapterkit.Request) error {
	if req.Cmd == "write" {
		return write(req)
	}
	return appendAfterStart(req)
}

func appendAfterStart(req adapterkit.Request) error {
	info, err := os.Stat(req.Path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if _, err := setSegmentSize(req); err != nil {
			return err
		}
		w, err := start(req.Path)
		if err != nil {
			return err
		}
		if err := save(w, req, req.Records); err != nil {
			return err
		}
		return w.Close()
	}
	*segmentSize = 1 << 20 // the size of the next file, which is removed at the end
	dir, err := copied(req.Path)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := start(dir)
	if err != nil {
		return err
	}
	if err := save(w, req, req.Records); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return copyFile(filepath.Join(dir, firstName), req.Path)
}

// save writes records in Saves: entries, then at most one state. If it acknowledges records, it writes each entry
// and each marker with a separate call, which syncs.
func save(w *WAL, req adapterkit.Request, records []adapterkit.Record) error {
	done := len(req.Records) - len(records)
	var entries [][]byte
	for i, record := range records {
		kind, _ := record.Fields["record_type"].(string)
		var err error
		switch kind {
		case "", "entry":
			entries = append(entries, record.Bytes())
			if req.Acknowledge != nil || i+1 == len(records) || records[i+1].Fields["record_type"] == "snapshot" {
				err = saveOne(w, nil, entries)
				entries = nil
			}
		case "state":
			err = saveOne(w, record.Bytes(), entries)
			entries = nil
		case "snapshot":
			err = saveMarker(w, record.Bytes())
		default:
			return adapterkit.Skip("etcd writes metadata only at the beginning of a file")
		}
		if err != nil {
			return err
		}
		if req.Acknowledge != nil && kind != "state" {
			req.Acknowledge(done + i + 1)
		}
	}
	return nil
}

// bench times repeated passes of the decoder over a segment, and prints the seconds of each pass.
func bench(path, repeat string) {
	count, err := strconv.Atoi(repeat)
	check(err)
	records, payloadBytes, seconds := 0, 0, []float64{}
	for range count {
		records, payloadBytes = 0, 0
		began := time.Now()
		file, err := os.Open(path)
		check(err)
		decoder, rec := newDecoder([]*os.File{file}), &Record{}
		for err = decoder.Decode(rec); err == nil; err = decoder.Decode(rec) {
			if kind, crc, data := parts(rec); kind == crcType {
				decoder.UpdateCRC(crc)
			} else {
				records, payloadBytes = records+1, payloadBytes+len(data)
			}
		}
		if err != io.EOF {
			check(err)
		}
		check(file.Close())
		seconds = append(seconds, time.Since(began).Seconds())
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"records": records, "payload_bytes": payloadBytes, "all_seconds": seconds,
	}))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
