package main

import (
	"os"
	"syscall"
)

// A mapped file. Only accessed bytes are read, and holes are never touched.
type mapped struct {
	f    *os.File
	data []byte
	n    int64
}

func openMapped(path string) (*mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	m := &mapped{f: f, n: st.Size()}
	if m.n > 0 {
		m.data, err = syscall.Mmap(int(f.Fd()), 0, int(m.n), syscall.PROT_READ, syscall.MAP_PRIVATE)
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return m, nil
}

func (m *mapped) close() {
	if m.data != nil {
		syscall.Munmap(m.data)
		m.data = nil
	}
	m.f.Close()
}

const seekData, seekHole = 3, 4

// extents returns the ranges after the offset `from` that are not holes.
func (m *mapped) extents(from int64) [][2]int64 {
	var out [][2]int64
	for pos := from; pos < m.n; {
		start, err := syscall.Seek(int(m.f.Fd()), pos, seekData)
		if err == syscall.ENXIO {
			break
		}
		if err != nil {
			return append(out, [2]int64{pos, m.n})
		}
		stop, err := syscall.Seek(int(m.f.Fd()), start, seekHole)
		if err != nil || stop <= start {
			stop = m.n
		}
		stop = min(stop, m.n)
		out = append(out, [2]int64{start, stop})
		pos = stop
	}
	return out
}

// prepared returns whether a file has only zeros, or no bytes (ZBJ-014).
func (m *mapped) prepared() bool {
	if m.n == 0 {
		return true
	}
	if m.data[0] != 0 {
		return false
	}
	for _, e := range m.extents(0) {
		for _, b := range m.data[e[0]:e[1]] {
			if b != 0 {
				return false
			}
		}
	}
	return true
}

// contentEnd returns w of ZBJ-034: the offset after the last non-zero byte from p on, or p.
func (m *mapped) contentEnd(p int64) int64 {
	ex := m.extents(p)
	for i := len(ex) - 1; i >= 0; i-- {
		for k := ex[i][1] - 1; k >= ex[i][0]; k-- {
			if m.data[k] != 0 {
				return k + 1
			}
		}
	}
	return p
}
