package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/syndtr/goleveldb/leveldb/journal"
)

func main() {
	// alpha; bravo, under type 103 and a right checksum; charlie
	log, _ := hex.DecodeString("3af6d13e050001616c706861af786351050067627261766f785659d7070001636861726c6965")
	reader := journal.NewReader(bytes.NewReader(log), nil, false, true)
	found := []string{}
	for {
		chunks, err := reader.Next()
		if err != nil {
			break
		}
		if record, err := io.ReadAll(chunks); err == nil {
			found = append(found, string(record))
		}
	}
	fmt.Println("expected: [alpha charlie]")
	fmt.Println("actual:  ", found)
}
