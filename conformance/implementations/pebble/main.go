// Adapter for Pebble's record package: its reader, called as pebble.DB does to replay a WAL, the writer
// that Pebble uses for its MANIFEST, which has LevelDB's log format, and the writer of its WALs.
package main

import (
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/wal"
	"github.com/prometheus/client_golang/prometheus"

	"walproof/adapterkit"
)

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "pebble",
		Version:  adapterkit.ModuleVersion("github.com/cockroachdb/pebble/v2"),
		Formats:  []string{"leveldb-log", "rocksdb-wal"},
		Profiles: []string{"recover", "write"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://github.com/cockroachdb/pebble",
		Issues:   "https://github.com/cockroachdb/pebble/issues",
		Read:     read,
		Write:    write,

		Acknowledges: true,
	})
}

// read is the loop of DB.replayWAL (open.go) and virtualWALReader.NextRecord (wal/reader.go) without
// the decoding of batches. Any error but io.EOF ends the replay and is a signal: ErrUnexpectedEOF,
// which the DB accepts in its newest WAL, as well as ErrInvalidChunk and ErrZeroedChunk.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	if req.Context["max_record_size"] != nil {
		return nil, adapterkit.Skip("the reader has no limit for the size of a record")
	}
	number, known := logNumber(req)
	if !known && req.Format == "rocksdb-wal" {
		return nil, adapterkit.Skip("the database takes the number from the file name, and this log has none")
	}
	return adapterkit.ReadRecords(req, func(log io.Reader) *record.Reader {
		return numberedReader(record.NewReader, log, number)
	})
}

// logNumber returns the log number in the context or, as the DB does, in the file name.
func logNumber(req adapterkit.Request) (uint64, bool) {
	if number, ok := req.Number("log_number"); ok {
		return number, true
	}
	number, _, ok := wal.ParseLogFilename(filepath.Base(req.Path))
	return uint64(number), ok
}

// numberedReader and numberedWriter call functions that take the number of a log. N is
// base.DiskFileNum, which is internal to Pebble.
func numberedReader[N ~uint64](
	newReader func(io.Reader, N) *record.Reader, log io.Reader, number uint64,
) *record.Reader {
	return newReader(log, N(number))
}

func numberedWriter[N ~uint64](
	newWriter func(io.Writer, N, record.LogWriterConfig) *record.LogWriter,
	log io.Writer, number uint64, config record.LogWriterConfig,
) *record.LogWriter {
	return newWriter(log, N(number), config)
}

func write(req adapterkit.Request) error {
	if req.Format == "rocksdb-wal" {
		return writeWAL(req)
	}
	// versionSet.UpdateVersionLocked flushes after every record, too (version_set.go).
	return adapterkit.WriteRecords(req, record.NewWriter)
}

// syncs observes every sync after the offset of the sync has been stored, which happens after the
// wait group of SyncRecord is done.
type syncs struct {
	prometheus.Histogram
	done chan struct{}
}

func (s syncs) Observe(float64) { s.done <- struct{}{} }

// writeWAL syncs after every record, as DB.Apply does with pebble.Sync.
func writeWAL(req adapterkit.Request) error {
	headers, _ := req.Context["headers"].(string)
	compression, _ := req.Context["compression"].(string)
	if headers == "legacy" || compression == "zstd" {
		return adapterkit.Skip("these are RocksDB's")
	}
	number, known := logNumber(req)
	if !known {
		number = 1
	}
	file, err := os.OpenFile(req.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	synced := syncs{done: make(chan struct{}, 1)}
	writer := numberedWriter(record.NewLogWriter, file, number, record.LogWriterConfig{
		WALFsyncLatency:     synced,
		WriteWALSyncOffsets: func() bool { return headers == "wal-sync" },
	})
	for i, each := range req.Records {
		for name := range each.Fields {
			return adapterkit.Skip("the writer cannot be given " + name)
		}
		var written sync.WaitGroup
		var failed error
		written.Add(1)
		if _, err := writer.SyncRecord(each.Bytes(), &written, &failed); err != nil {
			return err
		}
		if written.Wait(); failed != nil {
			return failed
		}
		<-synced.done
		if req.Acknowledge != nil {
			req.Acknowledge(i + 1)
		}
	}
	if closed, _ := req.Context["closed"].(bool); closed {
		return writer.Close()
	}
	return nil // the log stays as a killed process leaves it
}
