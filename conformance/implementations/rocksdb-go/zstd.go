package main

import (
	"bytes"
	"encoding/binary"
	"math/big"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest window of a frame (RDB-036).
const maxWindow = 128 << 20

// maxZstdBlock is the maximum size of the content of one block of a frame.
const maxZstdBlock = 128 << 10

var decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
	zstd.WithDecoderMaxMemory(1<<62))

// frame holds the fields of the header of a zstd frame.
type frame struct {
	contentSize uint64
	headerSize  int
	checksum    bool
}

// parseFrame reads the header of a frame. It fails if RDB-036 does not allow the frame.
func parseFrame(data []byte) (frame, bool) {
	const fixed = 5 // magic number and descriptor
	if len(data) < fixed || !bytes.HasPrefix(data, zstdMagic) {
		return frame{}, false
	}
	descriptor := data[4]
	single := descriptor&0x20 != 0
	if descriptor&0x08 != 0 { // reserved
		return frame{}, false
	}
	windowBytes := 1
	if single {
		windowBytes = 0
	}
	dictionaryBytes := []int{0, 1, 2, 4}[descriptor&3]
	sizeBytes := []int{0, 2, 4, 8}[descriptor>>6]
	if single && sizeBytes == 0 {
		sizeBytes = 1
	}
	f := frame{headerSize: fixed + windowBytes + dictionaryBytes + sizeBytes, checksum: descriptor&4 != 0}
	if sizeBytes == 0 || len(data) < f.headerSize {
		return frame{}, false
	}
	if !allZero(data[fixed+windowBytes : fixed+windowBytes+dictionaryBytes]) {
		return frame{}, false
	}
	var wide [8]byte
	copy(wide[:], data[f.headerSize-sizeBytes:f.headerSize])
	f.contentSize = binary.LittleEndian.Uint64(wide[:])
	if sizeBytes == 2 {
		f.contentSize += 256
	}
	window := f.contentSize
	if !single {
		base := uint64(1) << (10 + data[fixed]>>3)
		window = base + base/8*uint64(data[fixed]&7)
	}
	return f, f.contentSize > 0 && window <= maxWindow
}

// decompress returns the content of data, which must consist of exactly this frame. It first walks the blocks of the
// frame, so that a content size that the data cannot hold is never allocated.
func (f frame) decompress(data []byte) ([]byte, bool) {
	p, most := f.headerSize, uint64(0)
	for last := false; !last; {
		if len(data)-p < 3 {
			return nil, false
		}
		head := int(data[p]) | int(data[p+1])<<8 | int(data[p+2])<<16
		p += 3
		last = head&1 != 0
		if isCompressed := head>>1&3 == 2; isCompressed && head>>3 == 0 {
			return nil, false // RDB-036
		}
		if isRLE := head>>1&3 == 1; isRLE {
			p++
		} else {
			p += head >> 3
		}
		most += maxZstdBlock
	}
	if f.checksum {
		p += 4
	}
	if p != len(data) || most < f.contentSize {
		return nil, false
	}
	content, err := decoder.DecodeAll(data, nil)
	return content, err == nil && uint64(len(content)) == f.contentSize
}

// compress returns a zstd frame, with content size and checksum, of a record that is not empty.
func compress(content []byte) []byte {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true), zstd.WithEncoderCRC(true))
	if err != nil {
		panic(err)
	}
	return encoder.EncodeAll(content, nil)
}

// budget limits the size to which each frame decompresses, and the total (RDB-037, RDB-038). The total may exceed 64
// bits.
type budget struct {
	limit uint64 // of one record
	sum   *big.Int
}

func newBudget(limit uint64) *budget { return &budget{limit: limit, sum: new(big.Int)} }

// take adds the stated size of a record that ends at offset end to the total. It fails if the record is too large.
func (b *budget) take(size uint64, end int64) bool {
	if size > b.limit {
		return false
	}
	most := new(big.Int).SetUint64(b.limit)
	most.Lsh(most, 2)
	most.Add(most, new(big.Int).Lsh(big.NewInt(end), 10))
	sum := new(big.Int).SetUint64(size)
	sum.Add(sum, b.sum)
	if sum.Cmp(most) > 0 {
		return false
	}
	b.sum = sum
	return true
}
