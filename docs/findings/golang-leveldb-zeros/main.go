package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/golang/leveldb/record"
)

func main() {
	log, _ := hex.DecodeString("3af6d13e050001616c706861000000000000000000000000785659d7070001636861726c6965")
	reader := record.NewReader(bytes.NewReader(log))
	found := []string{}
	for {
		chunks, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			found = append(found, err.Error())
			break
		}
		record, err := io.ReadAll(chunks)
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		found = append(found, string(record))
	}
	fmt.Println("expected: an error after [\"alpha\"]")
	fmt.Printf("actual:   %q\n", found)
}
