package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
)

const maxPage = 4294967294 // the highest page number and database size (SQW-052)

// writer appends transactions to a log.
type writer struct {
	words    binary.ByteOrder
	pageSize int
	salts    []byte
	value    value  // the checksum after the last frame
	last     slot   // the last commit frame, or nil
	out      []byte // the new bytes
}

// writeLog writes a new log to a path (SQW-050).
func writeLog(path string, records []any, context object) error {
	w, err := newLog(context)
	if err != nil {
		return err
	}
	if err := w.addAll(records); err != nil {
		return err
	}
	return os.WriteFile(path, w.out, 0o644)
}

// appendLog appends transactions to the log at a path (SQW-053, SQW-054).
func appendLog(path string, records []any, context object) error {
	log, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before := readLog(log, false)
	if before.End == nil {
		return errors.New("a writer cannot go on in this log: it is " + before.Verdict)
	}
	end := *before.End
	var w *writer
	if end == 0 {
		w, err = newLog(context)
	} else {
		w = continueLog(log, end)
	}
	if err == nil {
		err = w.addAll(records)
	}
	if err != nil || len(records) == 0 {
		return err
	}

	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(int64(end)); err != nil {
		return err
	}
	if _, err := file.WriteAt(w.out, int64(end)); err != nil {
		return err
	}
	return file.Close()
}

// newLog returns a writer of a new log, which begins with a header.
func newLog(context object) (*writer, error) {
	pageSize, err := number(context, "page_size", 4096)
	if err != nil || !validPageSize(pageSize) {
		return nil, errors.New("the page size is not valid")
	}
	sequence, err := number(context, "sequence", 0)
	if err != nil {
		return nil, err
	}
	salts := make([]byte, 8)
	if _, err := rand.Read(salts); err != nil {
		return nil, err
	}
	for i, key := range []string{"salt_1", "salt_2"} {
		salt, err := number(context, key, binary.BigEndian.Uint32(salts[4*i:]))
		if err != nil {
			return nil, err
		}
		binary.BigEndian.PutUint32(salts[4*i:], salt)
	}
	w := &writer{words: binary.LittleEndian, pageSize: int(pageSize), salts: salts}
	magic := uint32(magicLittle)
	if context["byte_order"] == "big" {
		w.words, magic = binary.BigEndian, magicBig
	}
	for _, n := range []uint32{magic, formatVersion, pageSize, sequence} {
		w.out = binary.BigEndian.AppendUint32(w.out, n)
	}
	w.out = append(w.out, salts...)
	w.value = w.value.forward(w.words, w.out)
	w.out = append(w.out, make([]byte, 8)...)
	w.value.store(w.out[24:])
	return w, nil
}

// continueLog returns a writer that appends to a log with a valid header, after its committed frames.
func continueLog(log []byte, end int) *writer {
	h := sealedHeader(log)
	w := &writer{words: h.words, pageSize: h.pageSize, salts: h.salts, value: h.checksum}
	if end > headerSize {
		w.last = slot(log[end-h.slotSize() : end])
		w.value = w.last.stored()
	}
	return w
}

func (w *writer) addAll(records []any) error {
	for _, r := range records {
		fields, ok := r.(object)
		if !ok {
			return errors.New("a record is an object")
		}
		if err := w.add(fields); err != nil {
			return err
		}
	}
	return nil
}

// add appends one transaction (SQW-051), or refuses it (SQW-052).
func (w *writer) add(fields object) error {
	text, _ := fields["payload"].(string)
	payload, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	count := len(payload) / w.pageSize
	if count == 0 || len(payload)%w.pageSize != 0 {
		return errors.New("the payload is not one or more pages")
	}
	pages, err := pageNumbers(fields, count)
	if err != nil {
		return err
	}
	highest := pages[0]
	for _, p := range pages {
		highest = max(highest, p)
	}
	dbPages, err := number(fields, "db_pages", highest)
	if err != nil || dbPages < 1 || dbPages > maxPage {
		return errors.New("the database size is out of range")
	}

	for i, page := range pages {
		frame := make(slot, frameHeaderSize+w.pageSize)
		binary.BigEndian.PutUint32(frame, page)
		if i == count-1 {
			binary.BigEndian.PutUint32(frame[4:], dbPages)
		}
		copy(frame[8:], w.salts)
		copy(frame[frameHeaderSize:], payload[i*w.pageSize:])
		if count == 1 && w.last != nil && frame.repeats(w.last) {
			return errors.New("the transaction repeats the commit frame before it, as padding does")
		}
		w.value = frame.after(w.words, w.value)
		w.value.store(frame[16:])
		w.out = append(w.out, frame...)
		w.last = frame
	}
	return nil
}

// pageNumbers returns the page numbers of a record with count images.
func pageNumbers(fields object, count int) ([]uint32, error) {
	pages := make([]uint32, count)
	given, ok := fields["pages"]
	if !ok {
		for i := range pages {
			pages[i] = uint32(i + 1)
		}
		return pages, nil
	}
	list, ok := given.([]any)
	if !ok || len(list) != count {
		return nil, errors.New("there must be one page number for each image")
	}
	for i, p := range list {
		n, err := number(object{"page": p}, "page", 0)
		if err != nil || n < 1 || n > maxPage {
			return nil, errors.New("a page number is out of range")
		}
		pages[i] = n
	}
	return pages, nil
}

// number returns a field that holds a 32-bit integer, or the default if the field is absent.
func number(fields object, key string, absent uint32) (uint32, error) {
	given, ok := fields[key]
	if !ok {
		return absent, nil
	}
	n, ok := given.(float64)
	if !ok || n < 0 || n > math.MaxUint32 || n != math.Trunc(n) {
		return 0, fmt.Errorf("%s is not a number of 32 bits", key)
	}
	return uint32(n), nil
}
