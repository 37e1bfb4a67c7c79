// Adapter for Pebble's record package: its reader, called as pebble.DB does to replay a WAL, and the
// writer that Pebble uses for its MANIFEST, which has LevelDB's log format.
package main

import (
	"io"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/wal"

	"walproof/adapterkit"
)

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "pebble",
		Version:  adapterkit.ModuleVersion("github.com/cockroachdb/pebble/v2"),
		Formats:  []string{"leveldb-log"},
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
	return adapterkit.ReadRecords(req, func(log io.Reader) *record.Reader {
		return numbered(record.NewReader, log, filepath.Base(req.Path))
	})
}

// numbered passes the reader the log number in a file name such as 000001.log, or 0 if there is none, as
// `pebble tool wal dump` does (tool/wal.go). Only chunks of Pebble's own formats carry the number. N is
// base.DiskFileNum, which is internal to Pebble.
func numbered[N ~uint64](newReader func(io.Reader, N) *record.Reader, log io.Reader, name string) *record.Reader {
	number, _, _ := wal.ParseLogFilename(name)
	return newReader(log, N(number))
}

// write flushes after every record, as versionSet.UpdateVersionLocked does (version_set.go).
func write(req adapterkit.Request) error {
	return adapterkit.WriteRecords(req, record.NewWriter)
}
