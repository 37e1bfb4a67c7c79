//go:build etcd33 || etcd35

package main

import "unsafe"

// decoder is the package's decoder, which releases before 3.6 do not export. The functions that it
// calls are linked by name. Because of unexported.s, the compiler accepts functions without a body.
type decoder struct{ inner unsafe.Pointer }

func (d decoder) Decode(rec *Record) error { return decode(d.inner, rec) }
func (d decoder) LastCRC() uint32          { return lastCRC(d.inner) }
func (d decoder) UpdateCRC(crc uint32)     { updateCRC(d.inner, crc) }
