//go:build !etcd37

package main

// For releases up to 3.6, gogo/protobuf generates the messages.

func parts(rec *Record) (int64, uint32, []byte) { return rec.Type, rec.Crc, rec.Data }

func readAll(w *WAL) error {
	_, _, _, err := w.ReadAll()
	return err
}

func saveOne(w *WAL, state []byte, entries [][]byte) error {
	var hard HardState
	if err := hard.Unmarshal(state); err != nil {
		return err
	}
	list := make([]Entry, len(entries))
	for i := range entries {
		if err := list[i].Unmarshal(entries[i]); err != nil {
			return err
		}
	}
	return w.Save(hard, list)
}

func saveMarker(w *WAL, payload []byte) error {
	var snap Snapshot
	if err := snap.Unmarshal(payload); err != nil {
		return err
	}
	return w.SaveSnapshot(snap)
}
