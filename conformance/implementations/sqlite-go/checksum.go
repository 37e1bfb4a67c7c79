package main

import "encoding/binary"

// value is the running checksum of a log, which consists of two 32-bit numbers (SQW-006).
type value struct{ s, t uint32 }

// loadValue reads a stored checksum, which is big-endian for both magic numbers.
func loadValue(b []byte) value {
	return value{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// store writes a checksum at the start of b.
func (v value) store(b []byte) {
	binary.BigEndian.PutUint32(b, v.s)
	binary.BigEndian.PutUint32(b[4:], v.t)
}

// step adds two words to the checksum.
func (v value) step(x, y uint32) value {
	s := v.s + x + v.t
	return value{s, v.t + y + s}
}

// unstep removes the last two words from the checksum (SQW-009).
func (v value) unstep(x, y uint32) value {
	t := v.t - y - v.s
	return value{v.s - x - t, t}
}

// forward adds bytes to the checksum, 8 bytes per step.
func (v value) forward(words binary.ByteOrder, b []byte) value {
	for ; len(b) >= 8; b = b[8:] {
		v = v.step(words.Uint32(b), words.Uint32(b[4:]))
	}
	return v
}

// backward removes bytes from the checksum, from the last step to the first.
func (v value) backward(words binary.ByteOrder, b []byte) value {
	for i := len(b) - 8; i >= 0; i -= 8 {
		v = v.unstep(words.Uint32(b[i:]), words.Uint32(b[i+4:]))
	}
	return v
}
