// Leaves a WAL as after a crash inside a commit, and then uses Prometheus's database for twelve hours.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/wlog"
	"github.com/prometheus/prometheus/util/compression"
)

const zeros = 4096

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// messages prints the warnings and errors of the database.
type messages struct{ folder string }

func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (m messages) Handle(_ context.Context, record slog.Record) error {
	text := "  " + record.Message
	record.Attrs(func(each slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", each.Key, each.Value)
		return true
	})
	fmt.Println(strings.ReplaceAll(text, m.folder+"/", ""))
	return nil
}
func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m messages) WithGroup(string) slog.Handler      { return m }

func open(folder string) *tsdb.DB {
	options := tsdb.DefaultOptions()
	options.WALCompression = compression.Snappy // the default of the server
	db, err := tsdb.Open(folder, slog.New(messages{folder}), nil, options, nil)
	must(err)
	db.DisableCompactions()
	return db
}

// scrape commits a sample of each of 5000 series.
func scrape(db *tsdb.DB, minute int) {
	app := db.Appender(context.Background())
	for n := range 5000 {
		name := labels.FromStrings("__name__", "metric", "n", fmt.Sprint(n))
		_, err := app.Append(0, name, int64(minute)*60000, float64(n))
		must(err)
	}
	must(app.Commit())
}

// killed returns a folder of a database that was killed after one scrape. Its first segment is cut, and zeros follow.
func killed(parent string, cut, zeros int) string {
	folder := filepath.Join(parent, fmt.Sprint(cut, zeros))
	made := filepath.Join(folder, "made")
	db := open(made)
	scrape(db, 0)
	must(os.CopyFS(folder, os.DirFS(made)))
	must(db.Close())
	must(os.RemoveAll(made))
	must(os.Remove(filepath.Join(folder, "lock")))
	segment := filepath.Join(folder, "wal", "00000000")
	must(os.Truncate(segment, int64(cut)))
	must(os.Truncate(segment, int64(cut+zeros)))
	return folder
}

// use opens a database four times, compacts it each time, and returns whether that failed.
func use(folder string) (failed bool) {
	for restart := range 4 {
		db := open(folder)
		for minute := 1; minute < 180; minute += 15 {
			scrape(db, 180*restart+minute)
		}
		if err := db.Compact(context.Background()); err != nil {
			fmt.Println("  Compact:", strings.ReplaceAll(err.Error(), folder+"/", ""))
			failed = true
		}
		must(db.Close())
	}
	first, last, err := wlog.Segments(filepath.Join(folder, "wal"))
	must(err)
	fmt.Printf("  segments %d to %d are left\n", first, last)
	return failed
}

// read returns the error of a Reader over the segments of a folder.
func read(folder string, first, last int) error {
	segments, err := wlog.NewSegmentsRangeReader(wlog.SegmentRange{Dir: folder, First: first, Last: last})
	must(err)
	defer segments.Close()
	reader := wlog.NewReader(segments)
	for reader.Next() {
	}
	return reader.Err()
}

// sectors cuts the segment at each sector, and counts the cuts after which Open sees no error, but a checkpoint does.
func sectors(parent string) (cuts, unseen int) {
	wal := filepath.Join(killed(parent, 0, 0), "wal")
	whole := filepath.Join(parent, "whole")
	db := open(whole)
	scrape(db, 0)
	data, err := os.ReadFile(filepath.Join(whole, "wal", "00000000"))
	must(err)
	must(db.Close())
	must(os.WriteFile(filepath.Join(wal, "00000001"), data, 0o666))
	for cut := 512; cut < len(data); cut += 512 {
		left := append(append([]byte{}, data[:cut]...), make([]byte, zeros)...)
		must(os.WriteFile(filepath.Join(wal, "00000000"), left, 0o666))
		cuts++
		if read(wal, 0, 0) == nil && read(wal, 0, 1) != nil {
			unseen++
		}
	}
	return cuts, unseen
}

func main() {
	parent, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(parent)
	fmt.Println("cut after the second page, inside a record:")
	use(killed(parent, 65536, 0))
	fmt.Println("the same, and zeros follow:")
	failed := use(killed(parent, 65536, zeros))
	cuts, unseen := sectors(parent)
	fmt.Printf("cut at each of %d sectors, and zeros follow: %d states that only a checkpoint detects\n", cuts, unseen)
	if failed {
		os.Exit(1)
	}
}
