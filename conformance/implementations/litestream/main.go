// Adapter for WALReader of litestream, which copies the committed frames of a database's log to its replicas.
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"

	"github.com/benbjohnson/litestream"

	"walproof/adapterkit"
)

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "litestream",
		Version:  adapterkit.ModuleVersion("github.com/benbjohnson/litestream"),
		Formats:  []string{"sqlite-wal"},
		Profiles: []string{"recover"},
		Reports:  []string{"records", "at", "size", "signals"},
		Homepage: "https://github.com/benbjohnson/litestream",
		Issues:   "https://github.com/benbjohnson/litestream/issues",
		Read:     read,
	})
}

// read is the loop of WALReader.PageMap, which keeps the frames up to the last commit frame. PageMap and its callers
// treat io.EOF as the end of the log; every other error is a signal.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	file, err := os.Open(req.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	answer := adapterkit.NewAnswer()
	reader, err := litestream.NewWALReader(file, slog.New(slog.DiscardHandler))
	if err != nil {
		if !errors.Is(err, io.EOF) {
			answer.Signal(err)
		}
		return answer, nil
	}
	slot := litestream.WALFrameHeaderSize + int64(reader.PageSize())
	var payload []byte
	for {
		image := make([]byte, reader.PageSize())
		_, size, err := reader.ReadFrame(context.Background(), image)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				answer.Signal(err)
			}
			return answer, nil
		}
		payload = append(payload, image...)
		if size == 0 {
			continue
		}
		length := int64(len(payload)) / int64(len(image)) * slot
		at := reader.Offset() + slot - length
		answer.Records = append(answer.Records, adapterkit.Record{
			At: &at, Size: &length, Payload: hex.EncodeToString(payload),
		})
		payload = nil
	}
}
