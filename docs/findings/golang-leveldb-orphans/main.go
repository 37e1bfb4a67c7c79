package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/golang/leveldb/record"
)

func main() {
	// alpha; bravo, the end of a record whose beginning is missing; charlie; delta
	log, _ := hex.DecodeString("3af6d13e050001616c70686126de1c46050004627261766f785659d7070001636861726c6965fd832d6805000164656c7461")
	reader := record.NewReader(bytes.NewReader(log))
	found := []string{}
	for {
		chunks, err := reader.Next()
		if err != nil {
			if err != io.EOF {
				found = append(found, err.Error())
			}
			break
		}
		one, _ := io.ReadAll(chunks)
		found = append(found, string(one))
	}
	fmt.Println("expected: an error where the record without a start stands")
	fmt.Printf("actual:   %q\n", found)
}
