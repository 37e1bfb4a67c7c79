package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/record"
)

func main() {
	log, _ := hex.DecodeString("3af6d13e050001616c70686126de1c46050004627261766f785659d7070001636861726c6965fd832d6805000164656c7461")
	reader := record.NewReader(bytes.NewReader(log), 0)
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
	fmt.Println("expected: an error where the record without a start stands")
	fmt.Printf("actual:   %q\n", found)
}
