// Replaces each page of a WAL by zeros, one at a time, and counts the samples that Prometheus's database returns.
package main

import (
	"context"
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
	series  = 10000
	scrapes = 10
	page    = 32768
	first   = 1700000100000
	step    = 15000
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// messages collects the warnings and errors of the database.
type messages struct{ texts *[]string }

func (messages) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (m messages) Handle(_ context.Context, record slog.Record) error {
	*m.texts = append(*m.texts, record.Message)
	return nil
}
func (m messages) WithAttrs([]slog.Attr) slog.Handler { return m }
func (m messages) WithGroup(string) slog.Handler      { return m }

func open(folder string, used compression.Type) (*tsdb.DB, []string) {
	var texts []string
	options := tsdb.DefaultOptions()
	options.WALCompression = used
	db, err := tsdb.Open(folder, slog.New(messages{&texts}), nil, options, nil)
	must(err)
	return db, texts
}

// written leaves the folder of a database that was killed after some scrapes. Series n always has the value n.
func written(folder, killed string, used compression.Type) {
	db, _ := open(folder, used)
	for scrape := range scrapes {
		app := db.Appender(context.Background())
		for n := range series {
			name := labels.FromStrings("__name__", "metric", "n", fmt.Sprint(n))
			_, err := app.Append(0, name, first+int64(scrape)*step, float64(n))
			must(err)
		}
		must(app.Commit())
	}
	must(os.CopyFS(killed, os.DirFS(folder)))
	must(os.Remove(filepath.Join(killed, "lock")))
	must(db.Close())
}

// counted returns the number of samples that were written, and of others; example is one of the others.
func counted(db *tsdb.DB) (right, wrong int, example string) {
	querier, err := db.Querier(0, 1<<60)
	must(err)
	defer querier.Close()
	set := querier.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchEqual, "__name__", "metric"))
	for set.Next() {
		n := set.At().Labels().Get("n")
		for it := set.At().Iterator(nil); it.Next() != chunkenc.ValNone; {
			t, v := it.At()
			if fmt.Sprint(v) == n && (t-first)%step == 0 {
				right++
			} else {
				wrong++
				example = fmt.Sprintf(`metric{n="%s"} %g at %d`, n, v, t)
			}
		}
	}
	must(set.Err())
	return right, wrong, example
}

// zeroed prints what the database returns after one page was zeroed, for all pages, and returns the number of pages
// after which it returns samples that were never written.
func zeroed(used compression.Type) int {
	folder, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(folder)
	killed := filepath.Join(folder, "killed")
	written(filepath.Join(folder, "written"), killed, used)
	data, err := os.ReadFile(filepath.Join(killed, "wal", "00000000"))
	must(err)
	pages, repaired, invented, silent := (len(data)+page-1)/page, 0, 0, 0
	worst, shown := 0, ""
	for number := range pages {
		zeroed := filepath.Join(folder, fmt.Sprint(number))
		must(os.CopyFS(zeroed, os.DirFS(killed)))
		left := append([]byte{}, data...)
		clear(left[number*page : min((number+1)*page, len(left))])
		must(os.WriteFile(filepath.Join(zeroed, "wal", "00000000"), left, 0o666))
		db, texts := open(zeroed, used)
		right, wrong, example := counted(db)
		must(db.Close())
		if len(texts) > 1 {
			repaired++
		}
		if wrong > 0 {
			invented++
			if len(texts) == 0 {
				silent++
			}
		}
		if wrong > worst {
			worst = wrong
			shown = fmt.Sprintf("page %d: %d of %d samples, and %d that were never written, such as %s; messages: %q\n",
				number, right, series*scrapes, wrong, example, texts)
		}
	}
	fmt.Printf("%s, %d pages: %d repairs; samples that were never written after %d pages, %d times without a message\n%s",
		used, pages, repaired, invented, silent, shown)
	return invented
}

func main() {
	if zeroed(compression.None)+zeroed(compression.Snappy) > 0 {
		os.Exit(1)
	}
}
