package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// newRecord is a record to write.
type newRecord struct {
	Payload        string         `json:"payload"`
	SyncOffset     *number        `json:"sync_offset"`
	TimestampSizes timestampSizes `json:"timestamp_sizes"`
	Predecessor    *struct {
		LogNumber    *number `json:"log_number"`
		Size         *number `json:"size"`
		LastSequence *number `json:"last_sequence"`
	} `json:"predecessor"`
}

// timestampSizes are sizes of timestamps by column family, in the order of the request.
type timestampSizes []timestampSize

type timestampSize struct {
	family string
	size   number
}

func (t *timestampSizes) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		family, err := decoder.Token()
		if err != nil {
			return err
		}
		pair := timestampSize{family: fmt.Sprint(family)}
		if err := decoder.Decode(&pair.size); err != nil {
			return err
		}
		*t = append(*t, pair)
	}
	return nil
}

// number is an unsigned 64-bit number, given as a JSON number or as text.
type number uint64

func (n *number) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	value, err := strconv.ParseUint(text, 10, 64)
	*n = number(value)
	return err
}

// writer encodes the bytes of a log from the offset start on.
type writer struct {
	dialect    dialect
	number     uint32
	compressed bool
	families   map[uint32]bool
	budget     *budget
	start      int64
	out        []byte
}

// room returns the offset of the next byte and the number of bytes left in its block.
func (w *writer) room() (p, left int64) {
	p = w.start + int64(len(w.out))
	return p, blockEnd(p) - p
}

// fillBlock fills the rest of the block with zeros if less than size bytes are left in it.
func (w *writer) fillBlock(size int64) {
	if _, left := w.room(); left < size {
		w.out = append(w.out, make([]byte, left)...)
	}
}

// physical writes one physical record, which must fit into the block.
func (w *writer) physical(typ int, header int64, syncOffset uint64, data []byte) {
	head := make([]byte, header)
	binary.LittleEndian.PutUint16(head[4:], uint16(len(data)))
	head[6] = byte(typ)
	if header >= recyclableHeader {
		binary.LittleEndian.PutUint32(head[7:], w.number)
	}
	if header == walSyncHeader {
		binary.LittleEndian.PutUint64(head[11:], syncOffset)
	}
	start := len(w.out)
	w.out = append(append(w.out, head...), data...)
	binary.LittleEndian.PutUint32(w.out[start:], checksum(w.out[start+6:]))
	if w.dialect == walSync {
		w.fillBlock(walSyncHeader)
	}
}

// begin starts a compressed log with its compression record (RDB-030).
func (w *writer) begin() {
	if w.compressed && w.start == 0 {
		w.physical(typeCompression, legacyHeader, 0, []byte{compressionZstd, 0, 0, 0})
	}
}

// metadata writes one metadata record (RDB-024). Its data must fit into one block.
func (w *writer) metadata(legacyType, recyclableType int, data []byte) {
	typ, header := legacyType, int64(legacyHeader)
	if w.dialect == recyclable {
		typ, header = recyclableType, recyclableHeader
	}
	w.fillBlock(header + int64(len(data)))
	w.physical(typ, header, 0, data)
}

// record writes a record and the metadata before it.
func (w *writer) record(rec newRecord) error {
	payload, err := hex.DecodeString(rec.Payload)
	if err != nil {
		return err
	}
	if rec.SyncOffset != nil && w.dialect != walSync {
		return errors.New("only a WAL-sync log has sync offsets")
	}
	if (len(rec.TimestampSizes) > 0 || rec.Predecessor != nil) && w.dialect == walSync {
		return errors.New("a WAL-sync log has no metadata")
	}
	if before := rec.Predecessor; before != nil {
		if before.LogNumber == nil || before.Size == nil || before.LastSequence == nil {
			return errors.New("the predecessor is incomplete")
		}
		var data []byte
		for _, value := range []*number{before.LogNumber, before.Size, before.LastSequence} {
			data = binary.LittleEndian.AppendUint64(data, uint64(*value))
		}
		w.metadata(typePrecedingLog, typeRecyclablePreceder, data)
	}
	if len(rec.TimestampSizes) > 0 {
		if err := w.timestampSizes(rec.TimestampSizes); err != nil {
			return err
		}
	}
	w.fragments(payload, rec.SyncOffset)
	if end, _ := w.room(); w.compressed && len(payload) > 0 && !w.budget.take(uint64(len(payload)), end) {
		return errors.New("a reader would find the record too large")
	}
	return nil
}

// timestampSizes writes the timestamp sizes of column families. It fails for sizes that readers would reject.
func (w *writer) timestampSizes(sizes timestampSizes) error {
	header := w.dialect.headerSize()
	longest := int(blockSize-header) / pairSize * pairSize
	var data []byte
	for _, pair := range sizes {
		family, err := strconv.ParseUint(pair.family, 10, 32)
		if err != nil {
			return err
		}
		if pair.size == 0 || pair.size > math.MaxUint16 || w.families[uint32(family)] {
			return fmt.Errorf("a reader would not accept the size of column family %d", family)
		}
		w.families[uint32(family)] = true
		data = binary.LittleEndian.AppendUint32(data, uint32(family))
		data = binary.LittleEndian.AppendUint16(data, uint16(pair.size))
	}
	for piece := range slices.Chunk(data, longest) {
		w.metadata(typeTimestamps, typeRecyclableTimes, piece)
	}
	return nil
}

// fragments writes a record as fragments that are as long as possible (RDB-010, RDB-020, RDB-022). A compressed record
// is first split into pieces (RDB-036).
func (w *writer) fragments(payload []byte, syncOffset *number) {
	header := w.dialect.headerSize()
	pieces := [][]byte{payload}
	if w.compressed && len(payload) > 0 {
		pieces = slices.Collect(slices.Chunk(compress(payload), int(blockSize-header)))
	}
	w.fillBlock(header)
	p, _ := w.room()
	synced := uint64(p)
	if syncOffset != nil {
		synced = uint64(*syncOffset)
	}
	begun := false
	for i, piece := range pieces {
		for more := true; more; begun = true {
			w.fillBlock(header)
			_, left := w.room()
			now := min(len(piece), int(left-header))
			more = now < len(piece)
			ends := !more && i == len(pieces)-1
			w.physical(w.dialect.fullType()+fragmentOf(begun, ends), header, synced, piece[:now])
			piece = piece[now:]
		}
	}
}

// fragmentOf returns the difference between the type of a fragment and the type of a FULL: 0 for FULL, 1 for FIRST, 2
// for MIDDLE, 3 for LAST.
func fragmentOf(begun, ends bool) int {
	switch {
	case !begun && ends:
		return 0
	case !begun:
		return 1
	case !ends:
		return 2
	}
	return 3
}

// close ends the log with a clean close, as Pebble does (RDB-026).
func (w *writer) close() {
	w.fillBlock(cleanCloseSize)
	w.out = append(w.out, 0, 0, 0, 0, 0, 0, typeRecyclableFull)
	w.out = binary.LittleEndian.AppendUint32(w.out, w.number+1)
}

// write writes records, and closes the log if closed is set.
func (w *writer) write(records []newRecord, closed bool) error {
	if w.compressed && w.dialect == walSync {
		return errors.New("a WAL-sync log has no compression")
	}
	if closed && w.dialect == legacy {
		return errors.New("a legacy log cannot be closed")
	}
	w.begin()
	for _, rec := range records {
		if err := w.record(rec); err != nil {
			return err
		}
	}
	if closed {
		w.close()
	}
	return nil
}

// configure sets the dialect, the compression and the log number of a new log from the context. If the context has no
// log number, the log gets the number in its file name, or 1.
func (w *writer) configure(path string, context context) {
	w.dialect = recyclable
	if named, ok := dialectNames[context.Headers]; ok {
		w.dialect = named
	}
	w.compressed = context.Compression == "zstd"
	w.number = 1
	if context.LogNumber != nil {
		w.number = uint32(*context.LogNumber)
	} else if number, ok := numberInName(path); ok {
		w.number = uint32(number)
	}
}

// writeLog writes a new log. The first result is the reason for a refusal, or nil.
func writeLog(path string, records []newRecord, context context) (refused error, err error) {
	w := &writer{families: map[uint32]bool{}, budget: newBudget(context.settings("write").maxRecordSize)}
	w.configure(path, context)
	if err := w.write(records, context.Closed); err != nil {
		return err, nil
	}
	return nil, os.WriteFile(path, w.out, 0o644)
}

// looksCompressed reports whether the data of a record begins with the magic number of zstd (RDB-032).
func looksCompressed(rec newRecord) bool {
	return strings.HasPrefix(strings.ToLower(rec.Payload), hex.EncodeToString(zstdMagic))
}

// surveyBefore surveys the bytes of a log before end, which a writer keeps (RDB-058).
func surveyBefore(path string, end int64, settings settings) (*survey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return takeSurvey(newBlocks(file, end), settings.number, settings.numberKnown)
}

// appendLog appends records to a log (RDB-027 to RDB-029). The first result is the reason for a refusal, or nil.
func appendLog(path string, records []newRecord, context context) (refused error, err error) {
	r, err := readLog(path, context.settings("recover"))
	if err != nil {
		return nil, err
	}
	end := r.answer().End
	if end == nil {
		return errors.New("the log cannot be continued"), nil
	}
	if len(records) == 0 {
		return nil, nil
	}
	w := &writer{families: r.families, budget: r.budget, start: *end}
	w.configure(path, context)
	if r.numberKnown {
		w.number = r.number
	}
	switch {
	case r.dialect != noDialect:
		w.dialect, w.compressed = r.dialect, r.compression == compressionZstd
	case r.compressionRecord && w.start > 0:
		w.compressed = r.compression == compressionZstd
	}
	kept, err := surveyBefore(path, w.start, r.settings)
	switch {
	case err != nil:
		return nil, err
	case w.start == 0:
	case w.dialect == walSync && kept.dialect == noDialect:
		return errors.New("a WAL-sync log begins with its headers"), nil
	case w.compressed && kept.compression != compressionZstd:
		return errors.New("compression begins with the log"), nil
	case kept.guess && !kept.fragmentMet && looksCompressed(records[0]):
		return errors.New("a reader would take the record for a compressed one"), nil
	}
	if err := w.write(records, context.Closed); err != nil {
		return err, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := file.Truncate(w.start); err != nil {
		return nil, err
	}
	_, err = file.WriteAt(w.out, w.start)
	return nil, err
}
