// Tests a small reader of LevelDB logs with the vectors. Copy it, and replace read with your reader.
package vectors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walproof/vectors-go"
)

const (
	blockBytes, headerBytes   = 32768, 7
	full, first, middle, last = 1, 2, 3, 4
	longestPayloadInFullBytes = 4096
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// read returns verdict, payloads and lost ranges of a log, up to the first damage.
func read(log []byte) (verdict string, payloads [][]byte, lost []vectors.Lost) {
	var payload []byte
	at, recordStart, isOpen := 0, 0, false
	stop := func(verdict string) (string, [][]byte, []vectors.Lost) {
		return verdict, payloads, []vectors.Lost{{From: recordStart, To: len(log)}}
	}
	for at < len(log) {
		leftInBlock := blockBytes - at%blockBytes
		if leftInBlock < headerBytes {
			at += leftInBlock
			continue
		}
		if !isOpen {
			payload, recordStart = nil, at
		}
		if len(log)-at < headerBytes {
			return stop("torn")
		}
		checksum, length := binary.LittleEndian.Uint32(log[at:]), binary.LittleEndian.Uint16(log[at+4:])
		fragment, end := log[at+6], at+headerBytes+int(length)
		if end > at+leftInBlock {
			return stop("damaged")
		}
		if end > len(log) {
			return stop("torn")
		}
		fits := fragment == full || fragment == first
		if isOpen {
			fits = fragment == middle || fragment == last
		}
		sum := crc32.Checksum(log[at+6:end], castagnoli)
		if !fits || checksum != (sum>>15|sum<<17)+0xa282ead8 {
			return stop("damaged")
		}
		payload = append(payload, log[at+headerBytes:end]...)
		isOpen = fragment == first || fragment == middle
		if !isOpen {
			payloads = append(payloads, payload)
		}
		at = end
	}
	if isOpen {
		return stop("torn")
	}
	return "intact", payloads, nil
}

// payloadText returns a payload as the vectors contain it: in hexadecimal, or the SHA-256 of a long payload.
func payloadText(payload []byte) any {
	if len(payload) <= longestPayloadInFullBytes {
		return hex.EncodeToString(payload)
	}
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

// isRight reports whether verdict, records and lost ranges match one answer.
func isRight(answer *vectors.Answer, verdict string, payloads [][]byte, lost []vectors.Lost) bool {
	right := verdict == answer.Verdict && len(payloads) == len(answer.Records) && len(lost) == len(answer.Lost)
	for number := 0; right && number < len(payloads); number++ {
		record, text := answer.Records[number], payloadText(payloads[number])
		right = record["payload"] == text || record["payload_sha256"] == text
	}
	for number := 0; right && number < len(lost); number++ {
		right = lost[number].From == answer.Lost[number].From && lost[number].To == answer.Lost[number].To
	}
	return right
}

func TestVectors(t *testing.T) {
	list, err := os.ReadFile("known-failures.txt")
	all, loadErr := vectors.All("*")
	if err != nil || loadErr != nil {
		t.Fatal(err, loadErr)
	}
	for _, vector := range all {
		files, err := vector.Files()
		if size := len(bytes.Join(slices.Collect(maps.Values(files)), nil)); err != nil || size != vector.Size {
			t.Error(vector.ID, size, vector.Size, err)
		}
		strict := vector.Answers("strict")
		if slices.Contains(strict, nil) || len(strict) > 0 != (vector.Operation == "read") {
			t.Error(vector.ID, "has strict answers although it is for writers, or none although it is for readers")
		}
		if vector.Format != "leveldb-log" || vector.Operation != "read" {
			continue
		}
		t.Run(vector.ID, func(t *testing.T) {
			verdict, payloads, lost := read(files[vector.Input])
			passes := slices.ContainsFunc(vector.Answers("strict"), func(answer *vectors.Answer) bool {
				return isRight(answer, verdict, payloads, lost)
			})
			if isKnown := slices.Contains(strings.Fields(string(list)), vector.ID); passes == isKnown {
				t.Errorf("known failure: %v, found %s, %d records, lost %v", isKnown, verdict, len(payloads), lost)
			}
		})
	}
}
