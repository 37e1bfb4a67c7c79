package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"

	"github.com/benbjohnson/litestream"
	_ "modernc.org/sqlite"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	for _, name := range []string{"live.db", "live.db-wal", "live.db-shm", "copy.db", "copy.db-wal", "copy.db-shm"} {
		os.Remove(name)
	}
	live, err := sql.Open("sqlite", "live.db")
	check(err)
	live.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode=WAL", "CREATE TABLE t(a)",
		"PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO t VALUES(1)", "INSERT INTO t VALUES(2)", "INSERT INTO t VALUES(3)"} {
		_, err = live.Exec(statement)
		check(err)
	}
	database, err := os.ReadFile("live.db")
	check(err)
	log, err := os.ReadFile("live.db-wal") // three frames of 4120 bytes, each a transaction
	check(err)
	live.Close()

	// The second frame gets page number 0; the checksums from this frame on are recomputed.
	binary.BigEndian.PutUint32(log[32+4120:], 0)
	s0, s1 := binary.BigEndian.Uint32(log[32+16:]), binary.BigEndian.Uint32(log[32+20:])
	for frame := 32 + 4120; frame < len(log); frame += 4120 {
		s0, s1 = litestream.WALChecksum(binary.LittleEndian, s0, s1, log[frame:frame+8])
		s0, s1 = litestream.WALChecksum(binary.LittleEndian, s0, s1, log[frame+24:frame+4120])
		binary.BigEndian.PutUint32(log[frame+16:], s0)
		binary.BigEndian.PutUint32(log[frame+20:], s1)
	}

	reader, err := litestream.NewWALReader(bytes.NewReader(log), slog.New(slog.DiscardHandler))
	check(err)
	pages, end, _, err := reader.PageMap(context.Background())
	check(err)
	fmt.Println("litestream: pages at", pages, "end", end)

	check(os.WriteFile("copy.db", database, 0o644))
	check(os.WriteFile("copy.db-wal", log, 0o644))
	var frames, rows, unused int
	restored, err := sql.Open("sqlite", "copy.db")
	check(err)
	check(restored.QueryRow("SELECT count(*) FROM t").Scan(&rows))
	check(restored.QueryRow("PRAGMA wal_checkpoint").Scan(&unused, &frames, &unused))
	fmt.Println("SQLite:     rows", rows, "end", 32+4120*frames)
	if end != int64(32+4120*frames) {
		os.Exit(1)
	}
}
