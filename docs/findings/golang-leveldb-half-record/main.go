package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/golang/leveldb/record"
)

func main() {
	var log bytes.Buffer
	writer := record.NewWriter(&log)
	one, _ := writer.Next()
	one.Write(bytes.Repeat([]byte("x"), 40000))
	writer.Close()
	torn := log.Bytes()[:32768] // a crash: the second block was not written
	chunks, err := record.NewReader(bytes.NewReader(torn)).Next()
	var half []byte
	if err == nil {
		half, err = io.ReadAll(chunks)
	}
	fmt.Println("expected: io.ErrUnexpectedEOF, or no record")
	fmt.Printf("actual:   %d of 40000 bytes, err %v\n", len(half), err)
}
