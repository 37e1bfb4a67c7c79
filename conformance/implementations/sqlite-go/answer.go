package main

import "encoding/hex"

// answer is the result of reading a log.
type answer struct {
	Verdict string   `json:"verdict"`
	Reason  *string  `json:"reason"`
	Records []record `json:"records"`
	Lost    []lost   `json:"lost"`
	End     *int     `json:"end"`
}

// record is a transaction in an answer.
type record struct {
	At        int      `json:"at"`
	Size      int      `json:"size"`
	Frame     int      `json:"frame"`
	Pages     []uint32 `json:"pages"`
	DBPages   uint32   `json:"db_pages"`
	AfterLoss bool     `json:"after_loss,omitempty"`
	Payload   string   `json:"payload"`
}

// lost is a range of bytes that yielded no record.
type lost struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Reason string `json:"reason"`
}

// newAnswer returns an answer. An empty reason and an end below 0 stand for null.
func newAnswer(verdict, reason string, records []record, ranges []lost, end int) answer {
	a := answer{Verdict: verdict, Records: records, Lost: ranges}
	if a.Records == nil {
		a.Records = []record{}
	}
	if a.Lost == nil {
		a.Lost = []lost{}
	}
	if reason != "" {
		a.Reason = &reason
	}
	if end >= 0 {
		a.End = &end
	}
	return a
}

// record returns the record of the transaction in the slots from first to last.
func (r *reader) record(first, last int, marked bool) record {
	rec := record{
		At:        r.h.offset(first),
		Size:      (last - first + 1) * r.h.slotSize(),
		Frame:     first,
		DBPages:   r.slot(last).dbPages(),
		AfterLoss: marked,
	}
	payload := make([]byte, 0, 2*(last-first+1)*r.h.pageSize)
	for k := first; k <= last; k++ {
		rec.Pages = append(rec.Pages, r.slot(k).page())
		payload = hex.AppendEncode(payload, r.slot(k).image())
	}
	rec.Payload = string(payload)
	return rec
}
