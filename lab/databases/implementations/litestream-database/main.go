// litestream next to a database with a damaged log; ../opener/opener.py describes the output.
//
// litestream replicates the database to a folder, and restores the database from there. The program prints the items of
// the restored database.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/benbjohnson/litestream"
	"github.com/benbjohnson/litestream/file"
	_ "modernc.org/sqlite"

	"walproof/opener"
)

const name = "case.db"

func main() {
	opener.Run(opener.System{Make: empty, Twice: twice, Log: name + "-wal"})
}

// tables returns the names of the tables in the order of their root pages, from page 2 on
// (lab/formats/sqlite_wal/databases.py). The system writes to the last table.
func tables() []string {
	var all []string
	for number := range 16 {
		all = append(all, fmt.Sprintf("key%02d", number))
	}
	return append(all, "older", opener.More)
}

func empty(folder string) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	statements := []string{"PRAGMA page_size=4096", "PRAGMA journal_mode=WAL"}
	for _, table := range tables() {
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s(value INTEGER)", table))
	}
	return execute(filepath.Join(folder, name), statements...)
}

func execute(path string, statements ...string) error {
	database, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer database.Close()
	database.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := database.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// logWriter reports the lines of litestream's log.
type logWriter struct{}

func (logWriter) Write(line []byte) (int, error) {
	opener.Say(strings.TrimSpace(string(line)))
	return len(line), nil
}

func withoutTime(_ []string, attribute slog.Attr) slog.Attr {
	if attribute.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return attribute
}

func twice(_, folder string) error {
	slog.SetDefault(slog.New(slog.NewTextHandler(logWriter{}, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
	ctx := context.Background()
	path := filepath.Join(folder, name)
	database := litestream.NewDB(path)
	database.MonitorInterval = 0 // this program calls SyncAndWait
	replica := litestream.NewReplicaWithClient(database, file.NewReplicaClient(filepath.Join(folder, "replica")))
	replica.MonitorEnabled = false
	database.Replica = replica
	if err := database.Open(); err != nil {
		return err
	}
	if err := database.SyncAndWait(ctx); err != nil {
		return err
	}
	if err := restored(ctx, replica, filepath.Join(folder, "first.db"), opener.Item); err != nil {
		return err
	}
	if err := execute(path, fmt.Sprintf("INSERT INTO %s VALUES(1)", opener.More)); err != nil {
		opener.Say(err.Error())
	}
	if err := database.SyncAndWait(ctx); err != nil {
		opener.Say(err.Error())
	}
	if err := database.Close(ctx); err != nil {
		opener.Say(err.Error())
	}
	opener.Again()
	return restored(ctx, replica, filepath.Join(folder, "second.db"), opener.Later)
}

// restored restores the database to a path and reports its rows.
func restored(ctx context.Context, replica *litestream.Replica, path string, report func(name, value []byte)) error {
	options := litestream.NewRestoreOptions()
	options.OutputPath = path
	options.IntegrityCheck = litestream.IntegrityCheckFull
	if err := replica.Restore(ctx, options); err != nil {
		return err
	}
	database, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer database.Close()
	for _, table := range tables() {
		if table == "older" {
			continue
		}
		rows, err := database.Query("SELECT value FROM " + table)
		if err != nil {
			return err
		}
		for rows.Next() {
			var value int64
			if err := rows.Scan(&value); err != nil {
				return err
			}
			report([]byte(table), fmt.Append(nil, value))
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	return nil
}
