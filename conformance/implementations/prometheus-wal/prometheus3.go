//go:build !prometheus2

package main

import (
	"io"
	"log/slog"

	"github.com/prometheus/prometheus/tsdb/wlog"
	"github.com/prometheus/prometheus/util/compression"
)

func newLog(dir string, segmentSize int, name string) (*wlog.WL, error) {
	return wlog.NewSize(nil, nil, dir, segmentSize, compression.Type(name))
}

func newLiveReader(segment io.Reader) *wlog.LiveReader {
	return wlog.NewLiveReader(slog.New(slog.DiscardHandler), wlog.NewLiveReaderMetrics(nil), segment)
}
