// The package wal of etcd on a damaged segment; ../opener describes the arguments and the output.
package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"walproof/opener"
)

// logger prints the messages of warnings, and of repairs.
var logger = zap.New(messages{zapcore.InfoLevel})

type messages struct{ zapcore.LevelEnabler }

func (m messages) With([]zapcore.Field) zapcore.Core { return m }

func (m messages) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return checked.AddCore(entry, m)
}

func (m messages) Write(entry zapcore.Entry, _ []zapcore.Field) error {
	opener.Say(entry.Message)
	return nil
}

func (m messages) Sync() error { return nil }

func main() {
	wal.SegmentSizeBytes = 16384
	opener.Run(opener.System{Make: empty, Twice: twice, Log: "0000000000000000-0000000000000000.wal"})
}

func empty(folder string) error {
	w, err := wal.Create(nil, folder, nil)
	if err != nil {
		return err
	}
	return w.Close()
}

func twice(mode, folder string) error {
	if mode == "verify" {
		if _, err := wal.Verify(logger, folder, walpb.Snapshot{}); err != nil {
			return err
		}
	}
	if mode != "start" {
		w, err := wal.OpenForRead(logger, folder, walpb.Snapshot{})
		if err != nil {
			return err
		}
		defer w.Close()
		_, _, entries, err := w.ReadAll()
		each(entries, opener.Item)
		return err
	}
	w, entries, err := start(folder)
	if err != nil {
		return err
	}
	each(entries, opener.Item)
	last := raftpb.Entry{Term: 9, Index: uint64(len(entries)) + 1, Data: []byte(opener.Written)}
	if err := w.Save(raftpb.HardState{Term: 9}, []raftpb.Entry{last}); err != nil {
		opener.Say(err.Error())
	}
	w.Close()
	opener.Again()
	w, entries, err = start(folder)
	if err != nil {
		return err
	}
	each(entries, opener.Later)
	return w.Close()
}

// start opens a WAL as openWALFromSnapshot does (server/etcdserver/bootstrap.go).
func start(folder string) (*wal.WAL, []raftpb.Entry, error) {
	for repaired := false; ; repaired = true {
		w, err := wal.Open(logger, folder, walpb.Snapshot{})
		if err != nil {
			return nil, nil, err
		}
		_, _, entries, err := w.ReadAll()
		if err == nil {
			return w, entries, nil
		}
		w.Close()
		if repaired || !errors.Is(err, io.ErrUnexpectedEOF) || !wal.Repair(logger, folder) {
			return nil, nil, err
		}
	}
}

func each(entries []raftpb.Entry, tell func(name, value []byte)) {
	for _, entry := range entries {
		value := append(fmt.Appendf(nil, "%d ", entry.Term), entry.Data...)
		tell([]byte(strconv.FormatUint(entry.Index, 10)), value)
	}
}
