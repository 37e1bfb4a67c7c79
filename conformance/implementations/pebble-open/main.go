// Adapter for pebble.Open. The adapter opens a database whose only log is the log to read, reads the replayed keys back
// from the open database, and rebuilds the write batches that the log must have held.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"walproof/adapterkit"
)

const folder = "db"

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "pebble-open",
		Version:  adapterkit.ModuleVersion("github.com/cockroachdb/pebble/v2"),
		Formats:  []string{"rocksdb-wal"},
		Profiles: []string{"recover"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://github.com/cockroachdb/pebble",
		Issues:   "https://github.com/cockroachdb/pebble/issues",
		Read:     read,
	})
}

func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	if req.Context["max_record_size"] != nil {
		return nil, adapterkit.Skip("the reader has no limit for the size of a record")
	}
	name := filepath.Base(req.Path)
	if number, known := req.Number("log_number"); known {
		name = fmt.Sprintf("%06d.log", number)
	}
	number, _, isLog := wal.ParseLogFilename(name)
	if !isLog {
		return nil, adapterkit.Skip("the database takes the number from the file name, and this log has none")
	}
	data, err := os.ReadFile(req.Path)
	if err != nil {
		return nil, err
	}
	fs := vfs.NewMem()
	own, err := makeDatabase(fs)
	if err != nil {
		return nil, err
	}
	if number < own {
		return nil, adapterkit.Skip("the smallest number of a log in a database is " + own.String())
	}
	if err := writeFile(fs, fs.PathJoin(folder, name), data); err != nil {
		return nil, err
	}

	replayed := &replay{}
	db, err := pebble.Open(folder, &pebble.Options{FS: fs, Logger: replayed})
	answer := adapterkit.NewAnswer()
	if errors.Is(err, pebble.ErrInvalidBatch) || err != nil && strings.HasSuffix(err.Error(), "invalid batch") {
		return nil, adapterkit.Skip("the database opens only logs whose records are write batches: " + err.Error())
	} else if err != nil {
		answer.Signal(err)
		return answer, nil
	}
	err = release(db, replayed, answer)
	if closed := db.Close(); err == nil {
		err = closed
	}
	return answer, err
}

// makeDatabase makes an empty database without a log, and returns the number of the log that it removed.
func makeDatabase(fs vfs.FS) (wal.NumWAL, error) {
	db, err := pebble.Open(folder, &pebble.Options{FS: fs, Logger: &replay{}})
	if err != nil {
		return 0, err
	}
	if err := db.Close(); err != nil {
		return 0, err
	}
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: folder})
	if err != nil {
		return 0, err
	}
	for _, log := range logs {
		_, path := log.SegmentLocation(0)
		if err := fs.Remove(path); err != nil {
			return 0, err
		}
	}
	return logs[len(logs)-1].Num, nil
}

func writeFile(fs vfs.FS, path string, data []byte) error {
	file, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Close()
}

// replay is the logger of a database. It stores the numbers of keys and batches that DB.replayWAL replayed. The logged
// line is the same whether the log ended cleanly or not, so it is not a signal.
type replay struct{ keys, batches int64 }

func (r *replay) Infof(format string, args ...any) {
	if strings.Contains(format, "replayed %d keys in %d batches") {
		r.keys, r.batches = args[len(args)-2].(int64), args[len(args)-1].(int64)
	}
}

func (*replay) Errorf(string, ...any) {}

func (*replay) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// release returns the batches that a database replayed. It skips the log unless every batch put exactly one key and no
// key was put twice, because the database keeps neither the bounds of batches nor overwritten values.
func release(db *pebble.DB, replayed *replay, answer *adapterkit.Answer) error {
	batches := map[pebble.SeqNum][]byte{}
	err := db.ScanInternal(context.Background(), block.CategoryUnknown, nil, nil,
		func(key *pebble.InternalKey, value pebble.LazyValue, _ pebble.IteratorLevel) error {
			if key.Kind() != pebble.InternalKeyKindSet {
				return adapterkit.Skip("the log holds operations that are no put")
			}
			data, _, err := value.Value(nil)
			if err != nil {
				return err
			}
			batch := db.NewBatch()
			defer batch.Close()
			if err := batch.Set(key.UserKey, data, nil); err != nil {
				return err
			}
			payload := bytes.Clone(batch.Repr())
			batchrepr.SetSeqNum(payload, key.SeqNum())
			batches[key.SeqNum()] = payload
			return nil
		}, nil, nil, nil, nil)
	if err != nil {
		return err
	}
	if replayed.keys != replayed.batches || int(replayed.keys) != len(batches) {
		return adapterkit.Skip("the log holds a batch that does not put exactly one new key")
	}
	for _, number := range slices.Sorted(maps.Keys(batches)) {
		answer.Release(batches[number])
	}
	return nil
}
