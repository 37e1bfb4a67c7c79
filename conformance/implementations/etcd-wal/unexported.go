//go:build etcd33 || etcd35

package main

import "unsafe"

// decoder is the decoder of the package, which is not exported before 3.6. The functions that it calls
// are linked by name; unexported.s lets the compiler accept functions without a body.
type decoder struct{ inner unsafe.Pointer }

func (d decoder) Decode(rec *Record) error { return decode(d.inner, rec) }
func (d decoder) LastCRC() uint32          { return lastCRC(d.inner) }
func (d decoder) UpdateCRC(crc uint32)     { updateCRC(d.inner, crc) }
