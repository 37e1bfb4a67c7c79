//go:build prometheus2

package main

import (
	"io"

	"github.com/go-kit/log"
	"github.com/prometheus/prometheus/tsdb/wlog"

	"walproof/adapterkit"
)

func newLog(dir string, segmentSize int, name string) (*wlog.WL, error) {
	if name == "zstd" {
		return nil, adapterkit.Skip("this release has no zstd")
	}
	return wlog.NewSize(nil, nil, dir, segmentSize, name == "snappy")
}

func newLiveReader(segment io.Reader) *wlog.LiveReader {
	return wlog.NewLiveReader(log.NewNopLogger(), wlog.NewLiveReaderMetrics(nil), segment)
}
