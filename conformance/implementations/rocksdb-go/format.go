package main

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Sizes of the format (RDB-001, RDB-002, RDB-026, RDB-006).
const (
	blockSize        = 32768
	legacyHeader     = 7
	recyclableHeader = 11
	walSyncHeader    = 19
	cleanCloseSize   = 11
)

// Types of physical records that the code uses by name (RDB-006). In each dialect, FULL, FIRST, MIDDLE and LAST have
// consecutive types.
const (
	typeZero               = 0
	typeLegacyFull         = 1
	typeRecyclableFull     = 5
	typeWALSyncFull        = 9
	typeCompression        = 9
	typeTimestamps         = 10
	typeRecyclableTimes    = 11
	typePrecedingLog       = 130
	typeRecyclablePreceder = 131
	firstIgnorableType     = 128
)

// dialect is the form of the headers of a log's fragments (RDB-007).
type dialect int

const (
	noDialect dialect = iota
	legacy
	recyclable
	walSync
)

// dialectNames maps the values of the context key "headers" to dialects.
var dialectNames = map[string]dialect{"legacy": legacy, "recyclable": recyclable, "wal-sync": walSync}

// headerSize returns the size of the header of a fragment, which the chapter calls h.
func (d dialect) headerSize() int64 {
	switch d {
	case recyclable:
		return recyclableHeader
	case walSync:
		return walSyncHeader
	}
	return legacyHeader
}

// fullType returns the type of a FULL; FIRST, MIDDLE and LAST have the next three types.
func (d dialect) fullType() int {
	switch d {
	case recyclable:
		return typeRecyclableFull
	case walSync:
		return typeWALSyncFull
	}
	return typeLegacyFull
}

// kind is the role of a physical record in the dialect of its log.
type kind int

const (
	unknownKind kind = iota
	fullKind
	firstKind
	middleKind
	lastKind
	compressionKind
	timestampsKind
	precedingKind
	ignorableKind
)

// kindOf returns the kind of a physical record by the table of RDB-006. In a log without a dialect, only the
// compression record has a kind, because legacy and recyclable logs share it.
func (d dialect) kindOf(rec physical) kind {
	if fragment := rec.typ - d.fullType(); d != noDialect && fragment >= 0 && fragment < 4 {
		return fullKind + kind(fragment)
	}
	if d == walSync {
		return unknownKind
	}
	switch {
	case rec.typ == typeCompression:
		return compressionKind
	case rec.typ == typeTimestamps && d == legacy, rec.typ == typeRecyclableTimes && d == recyclable:
		return timestampsKind
	case rec.typ == typePrecedingLog && d == legacy, rec.typ == typeRecyclablePreceder && d == recyclable:
		return precedingKind
	case rec.typ >= firstIgnorableType && rec.typ != typePrecedingLog && rec.typ != typeRecyclablePreceder && d == legacy:
		return ignorableKind
	}
	return unknownKind
}

// headerSizes returns the sizes that the header of a type may have, the preferred one first (RDB-006, RDB-013).
func (d dialect) headerSizes(typ int) []int64 {
	switch {
	case typ >= 5 && typ <= 8, typ == typeRecyclablePreceder:
		return []int64{recyclableHeader}
	case typ < 9 || typ > 12:
		return []int64{legacyHeader}
	case d == walSync:
		return []int64{walSyncHeader}
	}
	other := int64(legacyHeader)
	if typ == typeRecyclableTimes {
		other = recyclableHeader
	}
	if d == noDialect {
		return []int64{walSyncHeader, other}
	}
	return []int64{other}
}

// physical is a physical record as its header describes it. Number, sync offset and data are set only for a sound
// record.
type physical struct {
	at, end    int64
	typ        int
	header     int64
	sound      bool
	repaired   bool // sound only with the number of the log (RDB-062)
	number     uint32
	syncOffset uint64
	data       []byte
}

// hasNumber reports whether the header carries a log number.
func (rec physical) hasNumber() bool { return rec.header != legacyHeader }

// parse reads the physical record at the start of rest. rest begins at the offset at, extends to the end of the block
// or of the log, and is at least 7 bytes long. If the type allows two header sizes, the checksum selects one of them. own is
// the number of the log, or nil if it does not count here (RDB-062).
func (d dialect) parse(rest []byte, at int64, own *uint32) physical {
	length := int64(binary.LittleEndian.Uint16(rest[4:]))
	typ := int(rest[6])
	sizes := d.headerSizes(typ)
	for _, header := range sizes {
		size := header + length
		if size > int64(len(rest)) {
			continue
		}
		rec := physical{at: at, end: at + size, typ: typ, header: header, sound: true, data: rest[header:size]}
		if header >= recyclableHeader {
			rec.number = binary.LittleEndian.Uint32(rest[7:])
		}
		if want := binary.LittleEndian.Uint32(rest); checksum(rest[6:size]) != want {
			if header == legacyHeader || own == nil || checksumWith(rest[6:size], *own) != want {
				continue
			}
			rec.number, rec.repaired = *own, true
		}
		if header == walSyncHeader {
			rec.syncOffset = binary.LittleEndian.Uint64(rest[11:])
		}
		return rec
	}
	return physical{at: at, end: at + sizes[0] + length, typ: typ, header: sizes[0]}
}

// cleanClose returns the log number in a clean close at the start of rest (RDB-026).
func cleanClose(rest []byte) (number uint32, ok bool) {
	if len(rest) < cleanCloseSize || binary.LittleEndian.Uint32(rest) != 0 ||
		binary.LittleEndian.Uint16(rest[4:]) != 0 || rest[6] != typeRecyclableFull {
		return 0, false
	}
	return binary.LittleEndian.Uint32(rest[7:]), true
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the masked CRC-32C of RDB-005.
func checksum(data []byte) uint32 {
	return mask(crc32.Checksum(data, castagnoli))
}

// checksumWith returns the checksum of data, which begins at the type, with another log number (RDB-062).
func checksumWith(data []byte, number uint32) uint32 {
	head := binary.LittleEndian.AppendUint32([]byte{data[0]}, number)
	return mask(crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, data[len(head):]))
}

// mask returns the stored form of a CRC-32C.
func mask(crc uint32) uint32 { return (crc>>15 | crc<<17) + 0xa282ead8 }

// allZero reports whether data holds nothing but zeros.
func allZero(data []byte) bool {
	for _, b := range data {
		if b != 0 {
			return false
		}
	}
	return true
}

// blocks reads the blocks of a log and keeps one block in memory at a time (RDB-060).
type blocks struct {
	file   io.ReaderAt
	size   int64
	loaded int64
	buffer []byte
}

func newBlocks(file io.ReaderAt, size int64) *blocks {
	return &blocks{file: file, size: size, loaded: -1}
}

// from returns the bytes from offset p to the end of its block or of the log. They are valid until the next call.
func (b *blocks) from(p int64) ([]byte, error) {
	start := p - p%blockSize
	if b.loaded != start {
		b.loaded = -1
		if b.buffer == nil {
			b.buffer = make([]byte, blockSize)
		}
		b.buffer = b.buffer[:min(blockSize, b.size-start)]
		if _, err := b.file.ReadAt(b.buffer, start); err != nil && err != io.EOF {
			return nil, err
		}
		b.loaded = start
	}
	return b.buffer[p-start:], nil
}

// blockEnd returns the end of the block that contains offset p, even if the log ends earlier.
func blockEnd(p int64) int64 { return p - p%blockSize + blockSize }
