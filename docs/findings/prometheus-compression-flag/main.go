// Clears the compression flag of each record of a WAL, one at a time, and counts the samples that Prometheus's
// database returns.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/compression"
)

const (
	series  = 100
	scrapes = 20
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// messages counts the warnings and errors of the database.
type messages struct{ count *int }

func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (m messages) Handle(context.Context, slog.Record) error      { *m.count++; return nil }
func (m messages) WithAttrs([]slog.Attr) slog.Handler             { return m }
func (m messages) WithGroup(string) slog.Handler                  { return m }

func open(folder string, used compression.Type) (*tsdb.DB, int) {
	count := 0
	options := tsdb.DefaultOptions()
	options.WALCompression = used
	db, err := tsdb.Open(folder, slog.New(messages{&count}), nil, options, nil)
	must(err)
	return db, count
}

// samples returns the number of samples after Open, and the number of messages of Open.
func samples(folder string, used compression.Type) (found, said int) {
	db, said := open(folder, used)
	querier, err := db.Querier(0, 1<<60)
	must(err)
	set := querier.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchEqual, "__name__", "metric"))
	for set.Next() {
		for it := set.At().Iterator(nil); it.Next() != chunkenc.ValNone; {
			found++
		}
	}
	must(set.Err())
	must(querier.Close())
	must(db.Close())
	return found, said
}

// flipped flips one bit of the first byte of each record, one at a time, and prints the result.
func flipped(used compression.Type, bit byte, name string) (silent int) {
	folder, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(folder)
	killed := filepath.Join(folder, "killed")
	db, _ := open(filepath.Join(folder, "written"), used)
	for scrape := range scrapes {
		app := db.Appender(context.Background())
		for n := range series {
			name := labels.FromStrings("__name__", "metric", "n", fmt.Sprint(n))
			_, err := app.Append(0, name, int64(scrape)*15000, float64(scrape))
			must(err)
		}
		must(app.Commit())
	}
	must(os.CopyFS(killed, os.DirFS(filepath.Join(folder, "written"))))
	must(os.Remove(filepath.Join(killed, "lock")))
	must(db.Close())
	data, err := os.ReadFile(filepath.Join(killed, "wal", "00000000"))
	must(err)
	records, least := 0, series*scrapes
	for at := 0; at < len(data) && data[at] != 0; at += 7 + int(binary.BigEndian.Uint16(data[at+1:])) {
		records++
		copied := filepath.Join(folder, fmt.Sprint(at))
		must(os.CopyFS(copied, os.DirFS(killed)))
		left := append([]byte{}, data...)
		left[at] ^= bit
		must(os.WriteFile(filepath.Join(copied, "wal", "00000000"), left, 0o666))
		if found, said := samples(copied, used); found < series*scrapes && said == 0 {
			silent++
			least = min(least, found)
		}
	}
	fmt.Printf("%s, %s: samples lost without a message after %d of %d flips; %d of %d left after the worst\n",
		used, name, silent, records, least, series*scrapes)
	return silent
}

func main() {
	silent := flipped(compression.Snappy, 8, "flag cleared")
	silent += flipped(compression.Zstd, 16, "flag cleared")
	silent += flipped(compression.Snappy, 1, "lowest bit of the type flipped")
	if silent > 0 {
		os.Exit(1)
	}
}
