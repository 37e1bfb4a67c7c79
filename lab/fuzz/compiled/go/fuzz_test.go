package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"

	"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"
)

// FuzzParser parses its input with the grammar that WALPROOF_GRAMMAR names. A panic of a parser is a fault, and so is
// an allocation of more than 64 MiB plus 256 bytes for each byte of the input.
func FuzzParser(f *testing.F) {
	grammar := os.Getenv("WALPROOF_GRAMMAR")
	said, err := os.ReadFile(os.Getenv("WALPROOF_MODELS"))
	if err != nil {
		f.Skip(err)
	}
	var models map[string]Model
	if err := json.Unmarshal(said, &models); err != nil {
		f.Fatal(err)
	}
	seeds, err := filepath.Glob(filepath.Join(os.Getenv("WALPROOF_SEEDS"), "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		if data, err := os.ReadFile(seed); err == nil {
			f.Add(data)
		}
	}
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		metrics.Read(sample)
		before := sample[0].Value.Uint64()
		_, _ = parse[grammar](kaitai.NewStream(bytes.NewReader(data)))
		metrics.Read(sample)
		if taken := sample[0].Value.Uint64() - before; taken > 64<<20+256*uint64(len(data)) {
			t.Fatalf("%d bytes allocated for %d bytes", taken, len(data))
		}
		listing(models[grammar], grammar, data)
	})
}
