package main

import (
	"bytes"
	"encoding/binary"
)

// start is the result of reading the header of a log (SQW-020).
type start struct {
	header  *header
	lost    bool   // the header is damaged, and was rebuilt or replaced
	refused string // the code of a refusal
	torn    bool   // the header was never finished
}

// readStart reads the header of a log of one byte or more.
func readStart(log []byte) start {
	if bytes.HasPrefix(log, rollbackMagic) {
		return start{refused: "rollback-journal"}
	}
	if len(log) >= headerSize {
		if h := sealedHeader(log); h != nil {
			switch {
			case !validPageSize(binary.BigEndian.Uint32(log[8:])):
				return start{refused: "bad-page-size"}
			case binary.BigEndian.Uint32(log[4:]) != formatVersion:
				return start{refused: "bad-version"}
			}
			return start{header: h}
		}
		if h := rebuildHeader(log); h != nil {
			return start{header: h, lost: true}
		}
		if h := linkedHeader(log); h != nil {
			return start{header: h, lost: true}
		}
	}
	if unfinishedHeader(log) {
		return start{torn: true}
	}
	return start{refused: "bad-magic"}
}

// sealedHeader returns the header if its magic number and its checksum are valid.
func sealedHeader(log []byte) *header {
	words := magicWords(binary.BigEndian.Uint32(log))
	if words == nil {
		return nil
	}
	checksum := value{}.forward(words, log[:24])
	if checksum != loadValue(log[24:]) {
		return nil
	}
	return &header{
		words:    words,
		pageSize: int(binary.BigEndian.Uint32(log[8:])),
		salts:    log[16:24],
		checksum: checksum,
		known:    true,
	}
}

// unfinishedHeader reports whether a log, as far as its header extends, consists of zeros or begins like a magic number
// (SQW-021).
func unfinishedHeader(log []byte) bool {
	if allZero(log[:min(len(log), headerSize)]) {
		return true
	}
	var magic [4]byte
	for _, m := range []uint32{magicLittle, magicBig} {
		binary.BigEndian.PutUint32(magic[:], m)
		n := min(len(log), 4)
		if bytes.Equal(log[:n], magic[:n]) {
			return true
		}
	}
	return false
}

// byteOrders lists the byte orders of words, in the order in which a reader without a header tries them.
var byteOrders = []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}

// rebuildHeader returns the header that frame 1 follows, or nil (SQW-026).
func rebuildHeader(log []byte) *header {
	var byStored *header // the header whose stored checksum is the value before frame 1
	for size := minPageSize; size <= maxPageSize && headerSize+frameHeaderSize+size <= len(log); size *= 2 {
		frame := slot(log[headerSize : headerSize+frameHeaderSize+size])
		if frame.page() == 0 {
			return nil
		}
		for _, words := range byteOrders {
			checksum := frame.before(words)
			for _, salts := range [][]byte{frame.salts(), log[16:24]} {
				if confirmsHeader(checksum, words, size, salts) {
					return &header{words: words, pageSize: size, salts: salts, checksum: checksum, known: true}
				}
			}
			if byStored == nil && checksum == loadValue(log[24:]) {
				byStored = &header{words: words, pageSize: size, salts: frame.salts(), checksum: checksum, known: true}
			}
		}
	}
	return byStored
}

// confirmsHeader reports whether a header with these fields and any sequence number has this checksum.
func confirmsHeader(checksum value, words binary.ByteOrder, pageSize int, salts []byte) bool {
	var fields [12]byte
	magic := uint32(magicLittle)
	if words == binary.BigEndian {
		magic = magicBig
	}
	binary.BigEndian.PutUint32(fields[0:], magic)
	binary.BigEndian.PutUint32(fields[4:], formatVersion)
	binary.BigEndian.PutUint32(fields[8:], uint32(pageSize))
	start := value{}.forward(words, fields[:8])
	end := checksum.backward(words, salts)
	return end.s == start.s+words.Uint32(fields[8:])+start.t
}

// linkedHeader returns a header with the page size, byte order and salts of the first two adjacent slots of which the
// second follows the first, or nil (SQW-027).
func linkedHeader(log []byte) *header {
	var either *header // the header whose slots fit both byte orders
	for size := maxPageSize; size >= minPageSize; size /= 2 {
		h := header{pageSize: size}
		for k := 1; h.offset(k+2) <= len(log); k++ {
			first := slot(log[h.offset(k):h.offset(k+1)])
			second := slot(log[h.offset(k+1):h.offset(k+2)])
			if second.page() == 0 || allZero(first.salts()) || !bytes.Equal(first.salts(), second.salts()) {
				continue
			}
			var fits []binary.ByteOrder
			for _, words := range byteOrders {
				if second.before(words) == first.stored() {
					fits = append(fits, words)
				}
			}
			if len(fits) == 0 {
				continue
			}
			found := &header{pageSize: size, words: fits[0], salts: first.salts()}
			if len(fits) == 1 {
				return found
			}
			if either == nil {
				either = found
			}
		}
	}
	return either
}
