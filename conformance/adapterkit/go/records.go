package adapterkit

import (
	"bytes"
	"io"
	"os"
)

// RecordReader and RecordWriter are the interfaces that Go log packages derived from
// golang/leveldb's package record have in common.
type RecordReader interface{ Next() (io.Reader, error) }

type RecordWriter interface {
	Next() (io.Writer, error)
	Flush() error
	Close() error
}

// ReadRecords releases the records up to the end of the log or the first error, which it reports as
// a signal.
func ReadRecords[R RecordReader](req Request, newReader func(io.Reader) R) (*Answer, error) {
	file, err := os.Open(req.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	answer, reader := NewAnswer(), newReader(file)
	var payload bytes.Buffer
	for {
		chunks, err := reader.Next()
		if err == io.EOF {
			return answer, nil
		}
		if err == nil {
			payload.Reset()
			_, err = io.Copy(&payload, chunks)
		}
		if err != nil {
			answer.Signal(err)
			return answer, nil
		}
		answer.Release(payload.Bytes())
	}
}

// WriteRecords creates a log at req.Path and flushes after every record. If each record must be
// durable, it syncs the file but not its directory, as these databases do for a synced write.
func WriteRecords[W RecordWriter](req Request, newWriter func(io.Writer) W) error {
	file, err := os.OpenFile(req.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	writer := newWriter(file)
	for i, record := range req.Records {
		chunks, err := writer.Next()
		if err != nil {
			return err
		}
		if _, err := chunks.Write(record.Bytes()); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
		if req.Acknowledge != nil {
			if err := file.Sync(); err != nil {
				return err
			}
			req.Acknowledge(i + 1)
		}
	}
	return writer.Close()
}
