package main

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"regexp"
	"strconv"
)

// survey holds the results of the first pass over a log, before its records are read (RDB-012 to RDB-017, RDB-032).
type survey struct {
	dialect     dialect
	number      uint32
	numberKnown bool
	// numberFrom is the offset of the record that gave the log its number, or -1. The number counts after it (RDB-062).
	numberFrom int64
	// lastOwn is the start of the last surveyed record of this log, or -1.
	lastOwn int64
	// proven is the offset up to which the log is known to have been written. A fault below it is damage.
	proven uint64
	// lastForeign is the start of the last block that begins with a sound record of another log, or -1.
	lastForeign int64
	// compression is the compression type of the log.
	compression uint32
	// compressionRecord reports whether the log has a valid compression record at offset 0.
	compressionRecord bool
	// guess reports whether the data of the first FULL or FIRST determines the compression (RDB-032).
	guess bool
	// fragmentMet reports whether the log has such a FULL or FIRST.
	fragmentMet bool
}

// Compression types (RDB-031).
const (
	compressionNone = 0
	compressionZstd = 7
	compressionSize = 4 // bytes of data in a compression record
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// names matches the file names of RDB-014. Numbers are padded to six digits, or to three after the hyphen; longer
// numbers have no leading zero.
var names = regexp.MustCompile(`^([0-9]{6}|[1-9][0-9]{6,})(-([0-9]{3}|[1-9][0-9]{3,}))?\.log$`)

// numberInName returns the log number in the name of a file.
func numberInName(path string) (uint64, bool) {
	match := names.FindStringSubmatch(filepath.Base(path))
	if match == nil {
		return 0, false
	}
	number, err := strconv.ParseUint(match[1], 10, 64)
	return number, err == nil
}

// foreign reports whether a sound physical record belongs to another log (RDB-015).
func (s *survey) foreign(rec physical) bool {
	return s.dialect != legacy && rec.hasNumber() && rec.number != s.number
}

// isCleanClose reports whether rest begins with the clean close of this log (RDB-026).
func (s *survey) isCleanClose(rest []byte) bool {
	number, ok := cleanClose(rest)
	return ok && s.numberKnown && s.dialect != legacy && number == s.number+1
}

// parse reads a physical record at an offset in a dialect, with the number of the log if it counts there (RDB-062).
func (s *survey) parse(d dialect, rest []byte, at int64) physical {
	if s.numberKnown && at > s.numberFrom {
		return d.parse(rest, at, &s.number)
	}
	return d.parse(rest, at, nil)
}

// refused reports whether the compression of the log is not supported (RDB-031).
func (s *survey) refused() bool {
	return s.compression != compressionNone && s.compression != compressionZstd
}

// takeSurvey makes the first pass over the log. The number is that of the context or of the file name, if known.
func takeSurvey(log *blocks, number uint64, numberKnown bool) (*survey, error) {
	s := &survey{number: uint32(number), numberKnown: numberKnown, numberFrom: -1, lastOwn: -1, lastForeign: -1,
		guess: true}
	var (
		magic       bool   // the first FULL or FIRST begins with the magic number of zstd
		ownEnd      int64  // end of the last record of this log
		highestSync uint64 // the highest sync offset in the records of this log
	)
	for start := int64(0); start < log.size; start += blockSize {
		block, err := log.from(start)
		if err != nil {
			return nil, err
		}
		if number, ok := cleanClose(block); ok && start == 0 && !s.numberKnown && !noDialect.parse(block, 0, nil).sound {
			s.number, s.numberKnown, s.numberFrom = number-1, true, 0
		}
		for p := 0; len(block)-p >= legacyHeader; {
			rec := s.parse(noDialect, block[p:], start+int64(p))
			if !rec.sound {
				break
			}
			p = int(rec.end - start)
			if rec.hasNumber() && !s.numberKnown {
				s.number, s.numberKnown, s.numberFrom = rec.number, true, rec.at
			}
			native := nativeDialect(rec)
			if rec.at == 0 {
				isCompression := rec.typ == typeCompression && native == noDialect
				s.compressionRecord = isCompression && len(rec.data) == compressionSize
				s.guess = isCompression && !s.compressionRecord || rec.hasNumber() && rec.number != s.number
				if s.compressionRecord {
					s.compression = binary.LittleEndian.Uint32(rec.data)
				}
			}
			if rec.hasNumber() && rec.number != s.number {
				if rec.at == start {
					s.lastForeign = start
				}
				continue
			}
			if s.dialect == noDialect {
				s.dialect = native
			}
			if native != noDialect && native == s.dialect {
				s.lastOwn, ownEnd = rec.at, rec.end
				highestSync = max(highestSync, rec.syncOffset)
			}
			fragment := s.dialect.kindOf(rec)
			if !s.fragmentMet && native == s.dialect && (fragment == fullKind || fragment == firstKind) {
				s.fragmentMet = true
				magic = bytes.HasPrefix(rec.data, zstdMagic)
			}
		}
	}
	switch s.dialect {
	case recyclable:
		s.proven = uint64(ownEnd)
	case walSync:
		s.proven = highestSync
		s.compression, s.compressionRecord, s.guess = compressionNone, false, false
	}
	if s.guess && magic {
		s.compression = compressionZstd
	}
	return s, nil
}

// nativeDialect returns the only dialect that has the type and the header of a sound physical record, or noDialect.
func nativeDialect(rec physical) dialect {
	switch {
	case rec.header == walSyncHeader:
		return walSync
	case rec.header == recyclableHeader:
		return recyclable
	case rec.typ >= typeLegacyFull && rec.typ < typeRecyclableFull, rec.typ == typeTimestamps, rec.typ == typePrecedingLog:
		return legacy
	}
	return noDialect
}

// ownInBlock returns the offsets of the surveyed records of this log in a block.
func (s *survey) ownInBlock(block []byte, start int64) []int64 {
	var found []int64
	for p := int64(0); int64(len(block))-p >= legacyHeader; {
		rec := s.parse(noDialect, block[p:], start+p)
		if !rec.sound {
			break
		}
		if nativeDialect(rec) == s.dialect && (!rec.hasNumber() || rec.number == s.number) {
			found = append(found, rec.at)
		}
		p = rec.end - start
	}
	return found
}

// lastFragment returns the offset of the last fragment of this recyclable log in a block, or -1 (RDB-050). The fragment
// may begin at any offset, but must have the number of the log and a checksum that is valid without RDB-062.
func (s *survey) lastFragment(block []byte, start int64) int64 {
	for p := len(block) - recyclableHeader; p >= 0; p-- {
		typ := int(block[p+6])
		if typ < typeRecyclableFull || typ > typeRecyclableFull+3 || binary.LittleEndian.Uint32(block[p+7:]) != s.number {
			continue
		}
		if recyclable.parse(block[p:], start+int64(p), nil).sound {
			return start + int64(p)
		}
	}
	return -1
}
