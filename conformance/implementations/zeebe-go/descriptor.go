package main

import "hash/crc32"

// parseDescriptor runs the checks of ZBJ-061, except check 1.
func parseDescriptor(b []byte) descriptor {
	n := int64(len(b))
	d := descriptor{version: b[0]}
	if d.version != 1 && d.version != 2 {
		d.code = "unknown-version"
		return d
	}
	pos := int64(1)
	msg := func(template, known int) (sbe, bool) {
		if pos+8 > n {
			d.code = "torn-descriptor"
			return sbe{}, false
		}
		h := header(b[pos:])
		if d.version == 1 { // ZBJ-006
			h.block = known
		}
		if h.schema != 7 || h.template != template || h.block < known {
			d.code = "bad-descriptor"
			return h, false
		}
		if pos+8+int64(h.block) > n {
			d.code = "torn-descriptor"
			return h, false
		}
		return h, true
	}
	var checksum uint64
	if d.version == 2 {
		h, ok := msg(4, 8)
		if !ok {
			return d
		}
		checksum = le.Uint64(b[pos+8:])
		pos += 8 + int64(h.block)
	}
	h, ok := msg(3, 20)
	if !ok {
		return d
	}
	d.segment = pos
	d.length = pos + 8 + int64(h.block)
	if d.version == 2 && uint64(crc32.Checksum(b[pos:d.length], castagnoli)) != checksum {
		d.code = "descriptor-checksum"
		return d
	}
	body := b[pos+8 : d.length]
	d.index = int64(le.Uint64(body[8:]))
	d.maxSize = int64(int32(le.Uint32(body[16:])))
	if d.version == 2 && h.version >= 2 && h.block >= 32 {
		d.fields = true
		lastIndex, lastPosition := int64(le.Uint64(body[20:])), int32(le.Uint32(body[28:]))
		if lastIndex > 0 && lastPosition > 0 {
			d.seal, d.sealAt = lastIndex, int64(lastPosition)
		}
	}
	return d
}

func (s *segment) inspect(m *mapped) {
	if s.looked {
		return
	}
	s.looked = true
	s.n = m.n
	if s.prepared = m.prepared(); !s.prepared {
		s.desc = parseDescriptor(m.data)
	}
}

func (s *segment) look() error {
	if s.looked {
		return nil
	}
	m, err := openMapped(s.path)
	if err != nil {
		return err
	}
	defer m.close()
	s.inspect(m)
	return nil
}

// begins returns the first index of a segment, if its descriptor can be read.
func (s *segment) begins() (int64, bool) {
	return s.desc.index, s.looked && !s.prepared && s.desc.code == ""
}
