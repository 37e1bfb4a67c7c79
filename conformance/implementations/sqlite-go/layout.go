package main

import (
	"bytes"
	"encoding/binary"
)

const (
	headerSize      = 32
	frameHeaderSize = 24
	magicLittle     = 0x377f0682
	magicBig        = 0x377f0683
	formatVersion   = 3007000
	minPageSize     = 512
	maxPageSize     = 65536
)

// rollbackMagic is the magic number of a rollback journal.
var rollbackMagic = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// header holds the values of a log's header that are needed to read its frames.
type header struct {
	words    binary.ByteOrder // byte order of the words in checksums
	pageSize int
	salts    []byte // 8 bytes
	checksum value
	known    bool // whether checksum is known: false if the header was lost and frame 1 did not give it
}

// slotSize returns S, the size of a slot.
func (h *header) slotSize() int { return frameHeaderSize + h.pageSize }

// offset returns the start of slot k. Slots are numbered from 1.
func (h *header) offset(k int) int { return headerSize + (k-1)*h.slotSize() }

func validPageSize(n uint32) bool {
	return n >= minPageSize && n <= maxPageSize && n&(n-1) == 0
}

// magicWords returns the byte order of words that a magic number selects, or nil.
func magicWords(magic uint32) binary.ByteOrder {
	switch magic {
	case magicLittle:
		return binary.LittleEndian
	case magicBig:
		return binary.BigEndian
	}
	return nil
}

// slot holds the bytes of one whole slot.
type slot []byte

func (f slot) page() uint32    { return binary.BigEndian.Uint32(f) }
func (f slot) dbPages() uint32 { return binary.BigEndian.Uint32(f[4:]) }
func (f slot) salts() []byte   { return f[8:16] }
func (f slot) stored() value   { return loadValue(f[16:]) }
func (f slot) image() []byte   { return f[frameHeaderSize:] }
func (f slot) commit() bool    { return f.dbPages() != 0 }

// after returns the checksum after the slot, computed from the checksum before the slot (SQW-008).
func (f slot) after(words binary.ByteOrder, before value) value {
	return before.forward(words, f[:8]).forward(words, f.image())
}

// before returns the checksum before the slot, computed from the checksum that the slot stores (SQW-009).
func (f slot) before(words binary.ByteOrder) value {
	return f.stored().backward(words, f.image()).backward(words, f[:8])
}

// repeats reports whether two frames have the same page number, database size and image (SQW-014).
func (f slot) repeats(g slot) bool {
	return bytes.Equal(f[:8], g[:8]) && bytes.Equal(f.image(), g.image())
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
