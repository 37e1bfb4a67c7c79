// Adapter for golang/leveldb's record package: its reader and writer, called the way leveldb.DB does.
package main

import (
	"bytes"
	"io"
	"os"

	"github.com/golang/leveldb/record"

	"walproof/adapterkit"
)

const module = "github.com/golang/leveldb"

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "golang-leveldb",
		Version:  adapterkit.ModuleVersion(module),
		Formats:  []string{"leveldb-log"},
		Profiles: []string{"recover", "write"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://" + module,
		Issues:   "https://" + module + "/issues",
		Read:     read,
		Write:    write,
	})
}

// read is the loop of DB.replayLogFile (leveldb.go) without the decoding of write batches: the first
// error is the last word, and Reader.Recover is never called, because the DB does not call it.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	file, err := os.Open(req.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	answer := adapterkit.NewAnswer()
	reader := record.NewReader(file)
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

// write flushes after every record, as DB.Apply does with WriteOptions.Sync (leveldb.go).
func write(req adapterkit.Request) error {
	file, err := os.OpenFile(req.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	writer := record.NewWriter(file)
	for _, rec := range req.Records {
		chunks, err := writer.Next()
		if err != nil {
			return err
		}
		if _, err := chunks.Write(rec.Bytes()); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
	return writer.Close()
}
