package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/golang/leveldb/record"
)

func main() {
	var log bytes.Buffer
	writer := record.NewWriter(&log)
	one, _ := writer.Next()
	one.Write(bytes.Repeat([]byte("x"), 40000))
	writer.Close()

	torn := log.Bytes()[:32768] // a crash: the second block was not written
	reader, err := record.NewReader(bytes.NewReader(torn)).Next()
	var data []byte
	if err == nil {
		data, err = io.ReadAll(reader)
	}
	fmt.Printf("read %d of 40000 bytes, error: %v\n", len(data), err)
	if err == nil {
		os.Exit(1)
	}
}
