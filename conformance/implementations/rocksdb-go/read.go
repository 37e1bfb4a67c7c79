package main

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
)

// Reason codes (RDB-054).
const (
	tornHeader       = "torn-header"
	tornPayload      = "torn-payload"
	tornRecord       = "torn-record"
	tornTail         = "torn-tail"
	checksumMismatch = "checksum-mismatch"
	badLength        = "bad-length"
	zeroHeader       = "zero-header"
	zeroGap          = "zero-gap"
	otherLog         = "other-log"
	unknownType      = "unknown-type"
	badMetadata      = "bad-metadata"
	orphanFragment   = "orphan-fragment"
	incompleteRecord = "incomplete-record"
	badCompression   = "bad-compression"
	tooLarge         = "too-large"
	unsupported      = "unsupported-compression"
)

// answer is the answer of a reader for one log.
type answer struct {
	Verdict string      `json:"verdict"`
	Reason  *string     `json:"reason"`
	Records []record    `json:"records"`
	Lost    []lostRange `json:"lost"`
	End     *int64      `json:"end"`
	Signals []string    `json:"signals"`
}

// record is one record of an answer. 64-bit numbers, and the column families in TimestampSizes, are decimal text.
type record struct {
	At             int64          `json:"at"`
	Size           int64          `json:"size"`
	LogNumber      *uint32        `json:"log_number,omitempty"`
	SyncOffset     string         `json:"sync_offset,omitempty"`
	TimestampSizes map[string]int `json:"timestamp_sizes,omitempty"`
	Predecessor    *predecessor   `json:"predecessor,omitempty"`
	Payload        string         `json:"payload"`
}

type predecessor struct {
	LogNumber    string `json:"log_number"`
	Size         string `json:"size"`
	LastSequence string `json:"last_sequence"`
}

type lostRange struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Reason string `json:"reason"`
}

// settings are the inputs of a reader other than the bytes of the log.
type settings struct {
	strict        bool
	number        uint64
	numberKnown   bool
	maxRecordSize uint64
}

// reader reads the records of one log.
type reader struct {
	*survey
	log      *blocks
	settings settings
	p        int64

	records []record
	lost    []lostRange
	damage  string // code of the first damage, or ""
	torn    string // code of the torn tail, or ""

	open *openRecord
	// The valid metadata since the last record that was returned.
	timestamps map[string]int
	preceding  *predecessor
	families   map[uint32]bool // the column families in all valid records of timestamp sizes
	budget     *budget

	stopped    bool  // the reader has finished
	end        int64 // offset of the end of the log; not set if strictStop
	cutShort   bool  // the log ended inside a physical record, at a fault, at another log or at a clean close
	outOfStep  bool  // the rest of a short last block was lost
	strictStop bool
}

// openRecord is a record whose FIRST was read and whose LAST was not.
type openRecord struct {
	at, end    int64
	syncOffset uint64
	data       []byte
}

// readLog reads the log at path.
func readLog(path string, settings settings) (*reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !settings.numberKnown {
		settings.number, settings.numberKnown = numberInName(path)
	}
	log := newBlocks(file, info.Size())
	s, err := takeSurvey(log, settings.number, settings.numberKnown)
	if err != nil {
		return nil, err
	}
	r := &reader{survey: s, log: log, settings: settings, families: map[uint32]bool{},
		budget: newBudget(settings.maxRecordSize), records: []record{}, lost: []lostRange{}}
	if s.refused() {
		return r, nil
	}
	for r.p < log.size && !r.stopped {
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	if !r.stopped {
		r.endAt(log.size)
	}
	return r, nil
}

// step performs the checks of RDB-040 at one offset and advances the offset.
func (r *reader) step() error {
	p, size := r.p, r.log.size
	blockEnd := blockEnd(p)
	rest, err := r.log.from(p)
	if err != nil {
		return err
	}
	if r.isCleanClose(rest) {
		r.foreignAt(p)
		return nil
	}
	if blockEnd-p < r.dialect.headerSize() {
		r.p = blockEnd
		return nil
	}
	if size-p < legacyHeader {
		if allZero(rest) {
			r.endAt(p)
		} else {
			r.tearAt(p, tornHeader)
		}
		return nil
	}
	rec := r.dialect.parse(rest, p)
	switch {
	case rec.end > blockEnd:
		r.loseBlock(badLength)
		return nil
	case rec.end > size && p+rec.header > size:
		r.tearAt(p, tornHeader)
		return nil
	case rec.end > size:
		r.tearAt(p, tornPayload)
		return nil
	case rec.typ == typeZero && rec.end == p+legacyHeader:
		return r.zerosAt(rest)
	case !rec.sound:
		r.loseBlock(checksumMismatch)
		return nil
	case r.foreign(rec):
		r.foreignAt(p)
		return nil
	}
	r.take(rec)
	return nil
}

// take performs checks 9 to 12 of RDB-040 on a sound physical record of this log.
func (r *reader) take(rec physical) {
	code := ""
	switch kind := r.dialect.kindOf(rec); kind {
	case fullKind, firstKind:
		r.dropOpen()
		if r.strictStop {
			return
		}
		r.open = &openRecord{at: rec.at, end: rec.end, syncOffset: rec.syncOffset, data: append([]byte(nil), rec.data...)}
		if kind == fullKind {
			r.complete()
		}
	case middleKind, lastKind:
		if r.open == nil {
			code = orphanFragment
			break
		}
		r.open.data = append(r.open.data, rec.data...)
		r.open.end = rec.end
		if kind == lastKind {
			r.complete()
		}
	case compressionKind, timestampsKind, precedingKind:
		if r.readMetadata(kind, rec) {
			r.dropOpen()
		} else {
			code = badMetadata
		}
	case ignorableKind:
		r.dropOpen()
	default:
		code = unknownType
	}
	switch {
	case code == "":
		r.p = rec.end
	case code != orphanFragment && r.endsLog(rec.at):
		r.tornTailAt(rec.at)
	default:
		r.lose(rec.at, rec.end, code)
		r.p = rec.end
	}
}

// complete adds the open record to the records after its last fragment has been read.
func (r *reader) complete() {
	open := r.open
	r.open = nil
	payload, code := open.data, ""
	if r.compression == compressionZstd && len(open.data) > 0 {
		payload, code = r.decompress(open)
	}
	if code != "" {
		r.lose(open.at, open.end, code)
		return
	}
	rec := record{At: open.at, Size: open.end - open.at, Payload: hex.EncodeToString(payload),
		TimestampSizes: r.timestamps, Predecessor: r.preceding}
	r.timestamps, r.preceding = nil, nil
	if r.dialect != legacy {
		rec.LogNumber = &r.number
	}
	if r.dialect == walSync {
		rec.SyncOffset = strconv.FormatUint(open.syncOffset, 10)
	}
	r.records = append(r.records, rec)
}

// decompress returns the content of a whole record, or the code of its fault (RDB-036 to RDB-038).
func (r *reader) decompress(open *openRecord) ([]byte, string) {
	frame, ok := parseFrame(open.data)
	if !ok {
		return nil, badCompression
	}
	if !r.budget.take(frame.contentSize, open.end) {
		return nil, tooLarge
	}
	content, ok := frame.decompress(open.data)
	if !ok {
		return nil, badCompression
	}
	return content, ""
}

// readMetadata stores the values of a sound metadata record and reports whether the record is valid (RDB-030, RDB-033,
// RDB-034).
func (r *reader) readMetadata(kind kind, rec physical) bool {
	switch kind {
	case compressionKind:
		return rec.at == 0 && len(rec.data) == compressionSize
	case precedingKind:
		if len(rec.data) != precedingSize {
			return false
		}
		r.preceding = &predecessor{LogNumber: decimal(rec.data), Size: decimal(rec.data[8:]), LastSequence: decimal(rec.data[16:])}
		return true
	}
	return r.readTimestampSizes(rec.data)
}

// Sizes of metadata (RDB-033, RDB-034).
const (
	precedingSize = 24
	pairSize      = 6
)

// readTimestampSizes stores all pairs of a record of timestamp sizes, or no pair if one of them is invalid.
func (r *reader) readTimestampSizes(data []byte) bool {
	if len(data) == 0 || len(data)%pairSize != 0 {
		return false
	}
	sizes := map[uint32]int{}
	for ; len(data) > 0; data = data[pairSize:] {
		family, size := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint16(data[4:]))
		if _, twice := sizes[family]; size == 0 || twice || r.families[family] {
			return false
		}
		sizes[family] = size
	}
	if r.timestamps == nil {
		r.timestamps = map[string]int{}
	}
	for family, size := range sizes {
		r.families[family] = true
		r.timestamps[strconv.FormatUint(uint64(family), 10)] = size
	}
	return true
}

// decimal returns the 64-bit number at the start of data as decimal text.
func decimal(data []byte) string { return strconv.FormatUint(binary.LittleEndian.Uint64(data), 10) }

// zerosAt handles a header whose type and length are 0 (RDB-019, RDB-024, RDB-045).
func (r *reader) zerosAt(rest []byte) error {
	if !allZero(rest) {
		r.loseBlock(zeroHeader)
		return nil
	}
	next := blockEnd(r.p)
	for ; next < r.log.size; next += blockSize {
		block, err := r.log.from(next)
		if err != nil {
			return err
		}
		if !allZero(block) {
			break
		}
	}
	switch {
	case next >= r.log.size:
		r.endAt(r.p)
	case next == blockEnd(r.p) && r.metadataDidNotFit(next):
		r.p = next
	case r.endsLog(r.p):
		r.tornTailAt(r.p)
	default:
		r.lose(r.p, next, zeroGap)
		r.p = next
	}
	return nil
}

// metadataDidNotFit reports whether the block at next begins with a sound metadata record of this log that did not fit
// into the zeros before the block (RDB-024).
func (r *reader) metadataDidNotFit(next int64) bool {
	block, err := r.log.from(next)
	if err != nil || len(block) < legacyHeader {
		return false
	}
	rec := r.dialect.parse(block, next)
	return rec.sound && !r.foreign(rec) && r.dialect.kindOf(rec).isMetadata() && rec.end-next > next-r.p
}

// foreignAt handles a record of another log, or a clean close (RDB-025, RDB-026, RDB-046).
func (r *reader) foreignAt(p int64) {
	if uint64(p) < r.proven {
		r.lose(p, min(blockEnd(p), r.log.size), otherLog)
		r.outOfStep = r.outOfStep || blockEnd(p) > r.log.size
		r.p = blockEnd(p)
		return
	}
	r.cutShort = true
	r.endAt(p)
}

// loseBlock adds the rest of the block after a fault to the lost ranges, or ends the log if the fault is its end.
func (r *reader) loseBlock(code string) {
	if r.endsLog(r.p) {
		r.tornTailAt(r.p)
		return
	}
	r.lose(r.p, min(blockEnd(r.p), r.log.size), code)
	r.outOfStep = r.outOfStep || blockEnd(r.p) > r.log.size
	r.p = blockEnd(r.p)
}

// endsLog reports whether a fault at p is the end of the log rather than damage (RDB-050).
func (r *reader) endsLog(p int64) bool {
	return uint64(p) >= r.proven && (r.dialect == walSync || r.dialect != legacy && r.lastForeign > p)
}

// tornTailAt ends the log at a fault. The torn tail extends to the next block that begins with a record of another log,
// or to the end of the file.
func (r *reader) tornTailAt(p int64) {
	to := r.log.size
	for next := blockEnd(p); next <= r.lastForeign; next += blockSize {
		if r.beginsForeign(next) {
			to = next
			break
		}
	}
	r.tear(p, to, tornTail)
}

// beginsForeign reports whether a block begins with a sound record of another log.
func (r *reader) beginsForeign(start int64) bool {
	block, err := r.log.from(start)
	if err != nil || len(block) < legacyHeader {
		return false
	}
	rec := noDialect.parse(block, start)
	return rec.sound && r.foreign(rec)
}

// tearAt ends the log inside a physical record at p (RDB-041).
func (r *reader) tearAt(p int64, code string) { r.tear(p, r.log.size, code) }

// tear ends the log with a torn tail that extends to the offset to. The tail begins at p, or at the FIRST of an open
// record.
func (r *reader) tear(p, to int64, code string) {
	if r.open != nil {
		p = r.open.at
		r.open = nil
	}
	r.torn = code
	r.lost = append(r.lost, lostRange{p, to, code})
	r.cutShort = true
	r.stopped, r.end = true, p
}

// endAt ends the log between physical records at p (RDB-042).
func (r *reader) endAt(p int64) {
	if r.open != nil {
		r.torn = tornRecord
		r.lost = append(r.lost, lostRange{r.open.at, r.open.end, tornRecord})
		p = r.open.at
		r.open = nil
	}
	r.stopped, r.end = true, p
}

// dropOpen discards an open record that has no LAST, and adds its data to the lost ranges (RDB-049).
func (r *reader) dropOpen() {
	open := r.open
	r.open = nil
	if open != nil && len(open.data) > 0 {
		r.lose(open.at, open.end, incompleteRecord)
	}
}

// lose adds a lost range for damage. The open record is lost as well (RDB-051), and strict reading ends (RDB-055).
func (r *reader) lose(from, to int64, code string) {
	if r.strictStop {
		return
	}
	if r.damage == "" {
		r.damage = code
	}
	if r.settings.strict {
		if r.open != nil {
			from = r.open.at
		}
		r.lost = append(r.lost, lostRange{from, r.log.size, code})
		r.strictStop, r.stopped = true, true
		return
	}
	if r.open != nil {
		r.lost = append(r.lost, lostRange{r.open.at, r.open.end, incompleteRecord})
		r.open = nil
	}
	r.lost = append(r.lost, lostRange{from, to, code})
}

// answer returns the answer with its verdict and end (RDB-054 to RDB-056).
func (r *reader) answer() answer {
	a := answer{Verdict: "intact", Records: r.records, Lost: r.lost, Signals: []string{}}
	code := ""
	switch {
	case r.refused():
		a.Verdict, code = "refused", unsupported
	case r.damage != "":
		a.Verdict, code = "damaged", r.damage
	case r.torn != "":
		a.Verdict, code = "torn", r.torn
	}
	if code != "" {
		a.Reason = &code
		a.Signals = append(a.Signals, code)
	}
	switch {
	case r.refused(), r.strictStop, r.outOfStep, r.dialect == walSync && r.damage != "" && r.cutShort:
	default:
		a.End = &r.end
	}
	return a
}
