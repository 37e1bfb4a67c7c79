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
	badNumber        = "bad-number"
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
	outOfStep  bool  // the rest of a short last block was lost
	exposed    bool  // a cut of a WAL-sync log at its end leaves damage unproven
	lastFault  int64 // offset of the last damage that such a cut may expose, or -1
	strictStop bool

	// Results for one block, which begins at ownBlock or at fragmentBlock.
	ownBlock, fragmentBlock int64
	own                     []int64 // as of ownInBlock
	fragment                int64   // as of lastFragment
}

// openRecord is a record whose FIRST fragment was read, but not its LAST fragment.
type openRecord struct {
	at, end    int64
	syncOffset uint64
	data       []byte
	repaired   []physical // the fragments with damaged numbers (RDB-062)
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
		budget: newBudget(settings.maxRecordSize), records: []record{}, lost: []lostRange{},
		lastFault: -1, ownBlock: -1, fragmentBlock: -1}
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
	if r.dialect == walSync && r.lastFault >= 0 && !r.strictStop {
		kept, err := takeSurvey(newBlocks(file, r.end), settings.number, settings.numberKnown)
		if err != nil {
			return nil, err
		}
		r.exposed = kept.proven <= uint64(r.lastFault) // RDB-056
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
		return r.foreignAt(p)
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
	rec := r.parse(r.dialect, rest, p)
	switch {
	case rec.end > blockEnd:
		return r.loseBlock(badLength)
	case rec.end > size && p+rec.header > size:
		r.tearAt(p, tornHeader)
		return nil
	case rec.end > size:
		r.tearAt(p, tornPayload)
		return nil
	case rec.typ == typeZero && rec.end == p+legacyHeader:
		return r.zerosAt(rest)
	case !rec.sound:
		return r.loseBlock(checksumMismatch)
	case r.foreign(rec):
		return r.foreignAt(p)
	}
	return r.take(rec)
}

// take performs checks 9 to 12 of RDB-040 on a sound physical record of this log.
func (r *reader) take(rec physical) error {
	code := ""
	switch kind := r.dialect.kindOf(rec); kind {
	case fullKind, firstKind:
		r.dropOpen()
		if r.strictStop {
			return nil
		}
		r.open = &openRecord{at: rec.at, syncOffset: rec.syncOffset}
		r.open.add(rec)
		if kind == fullKind {
			r.complete()
		}
	case middleKind, lastKind:
		if r.open == nil {
			code = orphanFragment
			break
		}
		r.open.add(rec)
		if kind == lastKind {
			r.complete()
		}
	case compressionKind, timestampsKind, precedingKind:
		if r.readMetadata(kind, rec) {
			r.dropOpen()
			if rec.repaired {
				r.lose(rec.at, rec.at+rec.header, badNumber) // after the end of the open record (RDB-062)
			}
		} else {
			code = badMetadata
		}
	case ignorableKind:
		r.dropOpen()
	default:
		code = unknownType
	}
	switch code {
	case "":
	case orphanFragment:
		r.lose(rec.at, rec.end, code)
	default:
		return r.fault(rec.at, rec.end, code)
	}
	r.p = rec.end
	return nil
}

// add appends the data of a fragment.
func (o *openRecord) add(rec physical) {
	o.data = append(o.data, rec.data...)
	o.end = rec.end
	if rec.repaired {
		rec.data = nil // a view of the block
		o.repaired = append(o.repaired, rec)
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
	for _, rec := range open.repaired {
		from := rec.at
		if r.settings.strict {
			from = open.at
		}
		r.lose(from, rec.at+rec.header, badNumber)
	}
	if r.strictStop {
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

// zerosAt handles a header whose type and length are 0 (RDB-019, RDB-045, RDB-063).
func (r *reader) zerosAt(rest []byte) error {
	if !allZero(rest) {
		return r.loseBlock(zeroHeader)
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
	default:
		return r.fault(r.p, next, zeroGap)
	}
	return nil
}

// metadataDidNotFit reports whether the block at next begins with sound metadata of this log that did not fit into the
// zeros before the block (RDB-063).
func (r *reader) metadataDidNotFit(next int64) bool {
	block, err := r.log.from(next)
	if err != nil || len(block) < legacyHeader {
		return false
	}
	rec := r.parse(r.dialect, block, next)
	kind := r.dialect.kindOf(rec)
	isMoved := kind == timestampsKind || kind == precedingKind
	return isMoved && rec.sound && !r.foreign(rec) && rec.end-next > next-r.p
}

// foreignAt handles a record of another log, or a clean close (RDB-025, RDB-026, RDB-046).
func (r *reader) foreignAt(p int64) error {
	if uint64(p) < r.proven {
		next, err := r.nextOwn(p)
		if err != nil {
			return err
		}
		r.loseTo(p, next, otherLog)
		return nil
	}
	if r.dialect == walSync && r.lastOwn > p {
		r.tornTailAt(p)
	} else {
		r.endAt(p)
	}
	return nil
}

// nextOwn returns the offset of the next surveyed record of this log in the block of p, or the end of the block.
func (r *reader) nextOwn(p int64) (int64, error) {
	if start := p - p%blockSize; r.ownBlock != start {
		block, err := r.log.from(start)
		if err != nil {
			return 0, err
		}
		r.ownBlock, r.own = start, r.ownInBlock(block, start)
	}
	for len(r.own) > 0 && r.own[0] <= p {
		r.own = r.own[1:]
	}
	if len(r.own) > 0 {
		return r.own[0], nil
	}
	return blockEnd(p), nil
}

// loseBlock adds the rest of the block after a fault to the lost ranges, or ends the log if the fault is its end.
func (r *reader) loseBlock(code string) error {
	return r.fault(r.p, blockEnd(r.p), code)
}

// fault adds the bytes of a fault to the lost ranges, or ends the log if the fault is its end.
func (r *reader) fault(p, to int64, code string) error {
	ends, err := r.endsLog(p)
	switch {
	case err != nil:
		return err
	case ends:
		r.tornTailAt(p)
	default:
		r.loseTo(p, to, code)
	}
	return nil
}

// loseTo adds damage to the lost ranges, and continues after it.
func (r *reader) loseTo(p, to int64, code string) {
	r.lastFault = p
	r.outOfStep = r.outOfStep || to > r.log.size
	r.lose(p, min(to, r.log.size), code)
	r.p = to
}

// endsLog reports whether a fault at p is the end of the log rather than damage (RDB-050).
func (r *reader) endsLog(p int64) (bool, error) {
	switch {
	case uint64(p) < r.proven, r.dialect == legacy:
		return false, nil
	case r.dialect == walSync:
		return true, nil
	case r.dialect == noDialect:
		return r.lastForeign > p, nil
	}
	if start := p - p%blockSize; r.fragmentBlock != start {
		block, err := r.log.from(start)
		if err != nil {
			return false, err
		}
		r.fragmentBlock, r.fragment = start, r.lastFragment(block, start)
	}
	return r.fragment <= p, nil
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
	rec := r.parse(noDialect, block, start)
	return rec.sound && r.foreign(rec)
}

// tearAt ends the log inside a physical record at p (RDB-041).
func (r *reader) tearAt(p int64, code string) { r.tear(p, r.log.size, code) }

// tear ends the log with a torn tail that extends to the offset to. The tail begins at p, or at the FIRST fragment of
// an open record.
func (r *reader) tear(p, to int64, code string) {
	if r.open != nil {
		p = r.open.at
		r.open = nil
	}
	r.torn = code
	r.lost = append(r.lost, lostRange{p, to, code})
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
	case r.refused(), r.strictStop, r.outOfStep, r.exposed:
	default:
		a.End = &r.end
	}
	return a
}
