// Flips one bit of a checkpoint, and starts Prometheus's database four times.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/wlog"
	"github.com/prometheus/prometheus/util/compression"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func open(folder string) (*tsdb.DB, error) {
	options := tsdb.DefaultOptions()
	options.WALCompression = compression.Snappy // the default of the server
	db, err := tsdb.Open(folder, slog.New(slog.DiscardHandler), nil, options, nil)
	if err == nil {
		db.DisableCompactions()
	}
	return db, err
}

// scrape commits a sample of each of 10 series.
func scrape(db *tsdb.DB, minute int) {
	app := db.Appender(context.Background())
	for n := range 10 {
		_, err := app.Append(0, labels.FromStrings("__name__", "metric", "n", fmt.Sprint(n)), int64(minute)*60000, 1)
		must(err)
	}
	must(app.Commit())
}

// samples counts the samples since a minute.
func samples(db *tsdb.DB, since int) (count int) {
	querier, err := db.Querier(int64(since)*60000, 1<<60)
	must(err)
	defer querier.Close()
	set := querier.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchEqual, "__name__", "metric"))
	for set.Next() {
		for it := set.At().Iterator(nil); it.Next() != chunkenc.ValNone; {
			count++
		}
	}
	must(set.Err())
	return count
}

// written leaves a database of ten hours whose WAL has a checkpoint. It returns the first minute that is in no block.
func written(folder string) (first int) {
	for restart := range 5 {
		db, err := open(folder)
		must(err)
		for minute := range 120 {
			scrape(db, 120*restart+minute)
		}
		must(db.Compact(context.Background()))
		first = int(db.Head().MinTime() / 60000)
		must(db.Close())
	}
	return first
}

// flip copies a database and flips the lowest bit of a byte of its checkpoint.
func flip(from, folder string, at int) {
	must(os.CopyFS(folder, os.DirFS(from)))
	checkpoint, _, err := wlog.LastCheckpoint(filepath.Join(folder, "wal"))
	must(err)
	segment := wlog.SegmentName(checkpoint, 0)
	data, err := os.ReadFile(segment)
	must(err)
	data[at] ^= 1
	must(os.WriteFile(segment, data, 0o666))
}

// segments returns the names of the segments of a WAL.
func segments(folder string) (names []string) {
	files, err := filepath.Glob(filepath.Join(folder, "wal", "0*"))
	must(err)
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return names
}

func main() {
	parent, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(parent)
	from := filepath.Join(parent, "written")
	first := written(from)
	fmt.Println("segments:", segments(from))

	folder, minute, lost := filepath.Join(parent, "flipped"), 600, false
	flip(from, folder, 20)
	for start := range 4 {
		db, err := open(folder)
		if err != nil {
			fmt.Printf("start %d: %s; segments: %v\n", start+1, strings.ReplaceAll(err.Error(), folder+"/", ""), segments(folder))
			continue
		}
		fmt.Printf("start %d: %d of %d samples, segments: %v; then 50 more samples are committed\n",
			start+1, samples(db, first), 10*(minute-first), segments(folder))
		for range 5 {
			scrape(db, minute)
			minute++
		}
		must(db.Close())
		lost = true
	}

	flips, deleted := 0, 0
	checkpoint, _, err := wlog.LastCheckpoint(filepath.Join(from, "wal"))
	must(err)
	data, err := os.ReadFile(wlog.SegmentName(checkpoint, 0))
	must(err)
	for at := 0; at < len(data); at++ {
		if at > 512 && at%512 != 0 {
			continue
		}
		folder := filepath.Join(parent, "one")
		flip(from, folder, at)
		if db, err := open(folder); err == nil {
			must(db.Close())
		}
		flips++
		if !slices.Contains(segments(folder), segments(from)[0]) {
			deleted++
		}
		must(os.RemoveAll(folder))
	}
	fmt.Printf("one bit of %d bytes of the checkpoint flipped, one at a time: WAL deleted %d times\n", flips, deleted)
	if lost {
		os.Exit(1)
	}
}
