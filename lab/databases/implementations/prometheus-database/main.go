// Prometheus's database on a damaged log; ../opener describes the arguments and the output. With the arguments
// `write FOLDER`, it writes the undamaged log: a checkpoint, closed segments, and the segment of a killed process.
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
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/compression"

	"walproof/opener"
)

const (
	minute   = 60000
	scrapes  = 6 // at each start, one every 20 minutes
	starts   = 5
	afterAll = 20 * minute * scrapes * starts
)

func main() {
	if os.Args[1] == "write" {
		write(os.Args[2])
		return
	}
	opener.Run(opener.System{
		Make:  func(folder string) error { return os.MkdirAll(folder, 0o777) },
		Twice: twice,
		Log:   "wal",
	})
}

// messages are the warnings and errors of the database.
type messages struct{ folder string }

func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (m messages) Handle(_ context.Context, record slog.Record) error {
	text := record.Message
	record.Attrs(func(each slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", each.Key, each.Value)
		return true
	})
	opener.Say(strings.ReplaceAll(text, m.folder+"/", ""))
	return nil
}
func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m messages) WithGroup(string) slog.Handler      { return m }

// open opens the database with the options of the server.
func open(folder string, logger *slog.Logger) (*tsdb.DB, error) {
	options := tsdb.DefaultOptions()
	options.WALCompression = compression.Snappy
	db, err := tsdb.Open(folder, logger, nil, options, nil)
	if err == nil {
		db.DisableCompactions()
	}
	return db, err
}

// twice opens the database. In the mode `again`, it does so once more if the database refuses.
func twice(mode, folder string) error {
	db, err := open(folder, slog.New(messages{folder}))
	if err != nil && mode == "again" {
		opener.Say(strings.ReplaceAll(err.Error(), folder+"/", ""))
		db, err = open(folder, slog.New(messages{folder}))
	}
	if err != nil {
		return err
	}
	if err := each(db, opener.Item); err != nil {
		opener.Say(err.Error())
	}
	if err := scrape(db, afterAll); err != nil {
		opener.Say(err.Error())
	}
	if err := db.Close(); err != nil {
		opener.Say(err.Error())
	}
	opener.Again()
	db, err = open(folder, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer db.Close()
	return each(db, opener.Later)
}

// scrape commits a sample of each of three series.
func scrape(db *tsdb.DB, time int64) error {
	app := db.Appender(context.Background())
	for n := range 3 {
		name := labels.FromStrings("__name__", "up", "instance", fmt.Sprintf("host-%d", n), "job", "node")
		if _, err := app.Append(0, name, time, float64(n)+float64(time/minute)); err != nil {
			return err
		}
	}
	return app.Commit()
}

func each(db *tsdb.DB, tell func(name, value []byte)) error {
	querier, err := db.Querier(0, 1<<60)
	if err != nil {
		return err
	}
	defer querier.Close()
	set := querier.Select(context.Background(), true, nil, labels.MustNewMatcher(labels.MatchEqual, "__name__", "up"))
	for set.Next() {
		instance := set.At().Labels().Get("instance")
		samples := set.At().Iterator(nil)
		for samples.Next() != chunkenc.ValNone {
			time, value := samples.At()
			tell(fmt.Appendf(nil, "%s at %d", instance, time), fmt.Appendf(nil, "%.1f", value))
		}
	}
	return set.Err()
}

// write writes a folder `wal`.
func write(folder string) {
	data, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(data)
	for start := range starts {
		db, err := open(data, slog.New(slog.DiscardHandler))
		must(err)
		for number := range scrapes {
			must(scrape(db, int64(scrapes*start+number)*20*minute))
		}
		if start == starts-1 {
			must(os.CopyFS(folder, os.DirFS(filepath.Join(data, "wal"))))
		}
		must(db.Compact(context.Background()))
		must(db.Close())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
