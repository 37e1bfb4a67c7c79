package vectors

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestEveryVectorLoads(t *testing.T) {
	index, err := Set()
	if err != nil {
		t.Fatal(err)
	}
	all, err := All("")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(index.Vectors) || len(all) < 1000 {
		t.Fatalf("expected %d vectors, found %d", len(index.Vectors), len(all))
	}
	for _, vector := range all {
		if vector.Expect.Verdict == "" || vector.Title == "" || (vector.Operation == "read") != (vector.ExpectStrict != nil) {
			t.Errorf("%s: a field is missing", vector.ID)
		}
		if vector.Control != nil {
			if control, err := Load(*vector.Control); err != nil || control.Format != vector.Format {
				t.Errorf("%s: no control: %v", vector.ID, err)
			}
		}
	}
}

func TestInputsHaveTheirHashes(t *testing.T) {
	all, _ := All("")
	single := 0
	for _, vector := range all {
		files, err := vector.Files()
		if err != nil {
			t.Errorf("%s: %v", vector.ID, err)
		}
		if data, is := files[vector.Input]; is && len(files) == 1 {
			single++
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != vector.SHA256 {
				t.Errorf("%s: another input", vector.ID)
			}
		}
	}
	if single < 1000 {
		t.Errorf("only %d logs of one file", single)
	}
}

func TestAnswersAreTyped(t *testing.T) {
	vector, err := Load("leveldb-log/first-then-full")
	if err != nil {
		t.Fatal(err)
	}
	answer := vector.Expect
	if answer.Verdict != "damaged" || *answer.Reason != "incomplete-record" || string(answer.End) != "50" {
		t.Errorf("found %+v", answer)
	}
	if len(answer.Records) != 3 || answer.Records[1].At != 24 || !answer.Records[0].Is([]byte("alpha")) || answer.Records[1].Is([]byte("bravo")) {
		t.Errorf("found %+v", answer.Records)
	}
	if len(answer.Lost) != 1 || answer.Lost[0] != (Lost{From: 12, To: 24, Reason: "incomplete-record"}) {
		t.Errorf("found %+v", answer.Lost)
	}
	if _, err := Load("leveldb-log/nobody"); err == nil {
		t.Error("expected an error")
	}
}
