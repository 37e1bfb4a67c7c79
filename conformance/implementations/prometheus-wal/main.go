// Adapter for Prometheus's package tsdb/wlog. As `prometheus-wal`, it reads as Head.Init does: the latest checkpoint as
// one stream, then each later segment with a new Reader. As `prometheus-wal-live`, it reads with LiveReader, as the
// watcher of remote write does. As `prometheus-wal-start`, it opens a copy of the log as tsdb.Open does: NewSize, the
// same reading, and Repair after an error. It then returns the records in the copy.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/prometheus/prometheus/tsdb/record"
	"github.com/prometheus/prometheus/tsdb/wlog"

	"walproof/adapterkit"
)

func main() {
	adapter := adapterkit.Adapter{
		Name:     os.Getenv("WALPROOF_NAME"),
		Version:  adapterkit.ModuleVersion("github.com/prometheus/prometheus"),
		Formats:  []string{"prometheus-wal"},
		Profiles: []string{"recover", "write", "append"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://github.com/prometheus/prometheus",
		Issues:   "https://github.com/prometheus/prometheus/issues",

		Acknowledges: true,

		Read:  answerOf(read),
		Write: write,
	}
	switch os.Getenv("PROMETHEUS_READS_AS") {
	case "watcher":
		adapter.Profiles, adapter.Read, adapter.Acknowledges = []string{"recover"}, answerOf(watch), false
	case "start":
		adapter.Profiles, adapter.Read = []string{"recover", "append"}, answerOf(start)
	}
	adapterkit.Run(adapter)
}

// answerOf returns a function that reads a copy of a log. A single-file log is copied to the first segment of a folder.
func answerOf(read func(dir string, answer *adapterkit.Answer) error) func(adapterkit.Request) (*adapterkit.Answer, error) {
	return func(req adapterkit.Request) (*adapterkit.Answer, error) {
		dir, err := os.MkdirTemp("", "prometheus-wal")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if info, err := os.Stat(req.Path); err != nil {
			return nil, err
		} else if info.IsDir() {
			err = os.CopyFS(dir, os.DirFS(req.Path))
		} else {
			err = copyFile(req.Path, wlog.SegmentName(dir, 0))
		}
		if err != nil {
			return nil, err
		}
		answer := adapterkit.NewAnswer()
		if err := read(dir, answer); err != nil {
			answer.Signal(err)
		}
		return answer, nil
	}
}

func read(dir string, answer *adapterkit.Answer) error { return replay(dir, answer.Release) }

// replay reads the segments in the order of Head.Init (tsdb/head.go).
func replay(dir string, release func(payload []byte)) error {
	checkpoint, first, missing := wlog.LastCheckpoint(dir)
	if missing != nil && !errors.Is(missing, record.ErrNotFound) {
		return fmt.Errorf("find last checkpoint: %w", missing)
	}
	_, last, err := wlog.Segments(dir)
	if err != nil {
		return fmt.Errorf("finding WAL segments: %w", err)
	}
	if missing == nil {
		segments, err := wlog.NewSegmentsReader(checkpoint)
		if err != nil {
			return fmt.Errorf("open checkpoint: %w", err)
		}
		defer segments.Close()
		if err := each(segments, release); err != nil {
			return fmt.Errorf("backfill checkpoint: %w", err)
		}
		first++
	}
	for i := first; i <= last; i++ {
		segment, err := wlog.OpenReadSegment(wlog.SegmentName(dir, i))
		if err != nil {
			return fmt.Errorf("open WAL segment: %d: %w", i, err)
		}
		defer segment.Close()
		if err := each(wlog.NewSegmentBufReader(segment), release); err != nil {
			return err
		}
	}
	return nil
}

func each(segments io.Reader, release func(payload []byte)) error {
	reader := wlog.NewReader(segments)
	for reader.Next() {
		release(reader.Record())
	}
	return reader.Err()
}

// watch reads the segments in the order of Watcher.Run (tsdb/wlog/watcher.go). Before the last
// segment, the watcher only logs an error.
func watch(dir string, answer *adapterkit.Answer) error {
	first, last, err := wlog.Segments(dir)
	if err != nil {
		return fmt.Errorf("Segments: %w", err)
	}
	checkpoint, index, missing := wlog.LastCheckpoint(dir)
	if missing != nil && !errors.Is(missing, record.ErrNotFound) {
		return fmt.Errorf("tsdb.LastCheckpoint: %w", missing)
	}
	if missing == nil {
		first, last, err := wlog.Segments(checkpoint)
		if err != nil {
			return fmt.Errorf("unable to get segments checkpoint dir: %w", err)
		}
		for i := max(first, 0); i <= last; i++ {
			if isWhole, err := eachLive(wlog.SegmentName(checkpoint, i), answer); err != nil {
				return fmt.Errorf("readSegment %d: %w", index, err)
			} else if !isWhole {
				return errors.New("readCheckpoint wasn't able to read all data from the checkpoint")
			}
		}
	}
	if last < index {
		return errors.New("failed to find segment for index")
	}
	for i := max(first, index); i <= last; i++ {
		isWhole, err := eachLive(wlog.SegmentName(dir, i), answer)
		if i == last {
			return err
		} else if err != nil {
			answer.Signal(err)
		} else if !isWhole {
			answer.Signal(errors.New("Expected to have read whole segment, may have dropped data"))
		}
	}
	return nil
}

// eachLive reads a segment, and returns whether the reader used every byte. io.EOF means that the reader is waiting for
// more bytes.
func eachLive(name string, answer *adapterkit.Answer) (isWhole bool, err error) {
	segment, err := wlog.OpenReadSegment(name)
	if err != nil {
		return false, err
	}
	defer segment.Close()
	info, err := segment.Stat()
	if err != nil {
		return false, err
	}
	reader := newLiveReader(segment)
	for reader.Next() {
		answer.Release(reader.Record())
	}
	if err := reader.Err(); !errors.Is(err, io.EOF) {
		return false, err
	}
	return reader.Offset() == info.Size(), nil
}

// start opens a folder as tsdb.Open does, and then reads it.
func start(dir string, answer *adapterkit.Answer) error {
	log, err := open(dir, wlog.DefaultSegmentSize, "none", answer)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	return replay(dir, answer.Release)
}

// open is the part of tsdb.Open (tsdb/db.go) that concerns the log.
func open(dir string, segmentSize int, compression string, answer *adapterkit.Answer) (*wlog.WL, error) {
	log, err := newLog(dir, segmentSize, compression)
	if err != nil {
		return nil, err
	}
	if initErr := replay(dir, func([]byte) {}); initErr != nil {
		answer.Signal(initErr)
		if err := log.Repair(initErr); err != nil {
			log.Close()
			return nil, fmt.Errorf("repair corrupted WAL: %w", err)
		}
	}
	return log, nil
}

// write serves write and append. It does not close the log, because Close pads the last page, which a running
// Prometheus does not do. A single-file log is written as the first segment of a folder.
func write(req adapterkit.Request) error {
	segmentSize, compression := wlog.DefaultSegmentSize, "none"
	if size, ok := req.Number("segment_size"); ok {
		segmentSize = int(size)
	}
	if name, ok := req.Context["compression"].(string); ok {
		compression = name
	}
	dir, isFile := req.Path, filepath.Ext(req.Path) != ""
	if isFile {
		if req.Cmd == "append" {
			return adapterkit.Skip("Prometheus never appends to a segment that exists")
		}
		temporary, err := os.MkdirTemp("", "prometheus-wal")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	var log *wlog.WL
	var err error
	if os.Getenv("PROMETHEUS_READS_AS") == "start" {
		log, err = open(dir, segmentSize, compression, adapterkit.NewAnswer())
	} else if req.Cmd == "append" {
		// The comment on wlog.WL requires a replay, and a repair after an error.
		if err := replay(dir, func([]byte) {}); err != nil {
			return err
		}
		log, err = newLog(dir, segmentSize, compression)
	} else {
		log, err = newLog(dir, segmentSize, compression)
	}
	if err != nil {
		return err
	}
	for i, each := range req.Records {
		if err := log.Log(each.Bytes()); err != nil {
			return err
		}
		if req.Acknowledge != nil {
			req.Acknowledge(i + 1)
		}
	}
	if isFile {
		return copyFile(wlog.SegmentName(dir, 0), req.Path)
	}
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
