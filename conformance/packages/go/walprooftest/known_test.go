package walprooftest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const written = `{"causes": {"why": "Because."}, "failures": [
 {"vector": "a/one", "profile": "recover", "result": "fail", "difference": "records [0123abcd]", "cause": "why"},
 {"vector": "a/two", "profile": "append", "result": "fail", "difference": "files [0123abcd]", "cause": "why"},
 {"vector": "a/three", "profile": "recover", "result": "crash", "difference": "it fell", "cause": "why"}]}`

func listOf(t *testing.T, text string) (*knownFailures, error) {
	file := filepath.Join(t.TempDir(), "known.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loadKnown(file)
}

func TestTheListIsStrictBothWays(t *testing.T) {
	known, err := listOf(t, written)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ vector, profile, class, difference, expected string }{
		{"a/one", "recover", "fail", "in other words [0123abcd]", "known-failure"},
		{"a/one", "recover", "fail", "records [ffffffff]", "fail"},
		{"a/one", "recover", "crash", "", "crash"},
		{"a/one", "recover", "pass", "", "unexpected-pass"},
		{"a/one", "recover", "skipped", "not today", "skipped"},
		{"a/one", "strict", "fail", "records [0123abcd]", "fail"},
		{"a/two", "append", "fail", "whatever", "known-failure"},
		{"a/three", "recover", "crash", "elsewhere", "known-failure"},
		{"a/four", "recover", "pass", "", "pass"},
	} {
		found := known.compared(result{one.vector, one.profile, one.class, one.difference, ""})
		if found.Class != one.expected {
			t.Errorf("%v: found %s", one, found.Class)
		}
		if (found.Class == "known-failure") != (found.cause == "Because.") {
			t.Errorf("%v: the cause is %q", one, found.cause)
		}
	}
}

func TestAnUpdateWritesWhatIsNewAndTakesOffWhatIsRight(t *testing.T) {
	known, err := listOf(t, written)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ vector, profile, class, difference, expected string }{
		{"a/one", "recover", "pass", "", "pass"},
		{"a/two", "append", "fail", "whatever", "known-failure"},
		{"a/three", "recover", "fail", "é <> [ffffffff]", "known-failure"},
		{"a/four", "recover", "timeout", "no answer", "known-failure"},
		{"a/five", "recover", "skipped", "not today", "skipped"},
		{"a/six", "recover", "pass", "", "pass"},
	} {
		found, err := known.updated(result{one.vector, one.profile, one.class, one.difference, ""})
		if err != nil || found.Class != one.expected {
			t.Errorf("%v: found %s, %v", one, found.Class, err)
		}
	}
	after, err := readKnown(known.file)
	if err != nil {
		t.Fatal(err)
	}
	expected := []listed{
		{"a/four", "recover", "timeout", "no answer", unexplained},
		{"a/three", "recover", "fail", "é <> [ffffffff]", "why"},
		{"a/two", "append", "fail", "files [0123abcd]", "why"},
	}
	if !slices.Equal(after.Failures, expected) || len(after.Causes) != 2 || after.Causes["why"] != "Because." {
		t.Errorf("found %v", after)
	}
	if text, _ := os.ReadFile(known.file); !strings.Contains(string(text), "<>") {
		t.Errorf("it is no text for people: %s", text)
	}
	if err := known.forget([]string{"a/four", "a/three", "a/two"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(known.file); !os.IsNotExist(err) {
		t.Errorf("an empty list is there: %v", err)
	}
}

func TestAnUpdateNeedsAFile(t *testing.T) {
	t.Setenv("WALPROOF_UPDATE_KNOWN", "1")
	if _, err := loadKnown(""); err == nil {
		t.Error("expected an error")
	}
	if known, err := loadKnown(filepath.Join(t.TempDir(), "none.json")); err != nil || !known.updates {
		t.Errorf("a list that is not there yet: %v", err)
	}
}

func TestAListThatDoesNotHoldTogetherIsRefused(t *testing.T) {
	for _, text := range []string{"[", strings.Replace(written, `"why": `, `"who": `, 1)} {
		if _, err := listOf(t, text); err == nil {
			t.Errorf("%s: expected an error", text)
		}
	}
	if known, err := loadKnown(filepath.Join(t.TempDir(), "none.json")); err != nil || len(known.Failures) > 0 {
		t.Errorf("a list that is not there is empty: %v", err)
	}
}

func TestEntriesWithoutAVectorAreFound(t *testing.T) {
	known, _ := listOf(t, written)
	if found := known.strangers("a", []*Vector{{ID: "a/one"}, {ID: "a/two"}}); len(found) != 1 || found[0] != "a/three" {
		t.Errorf("found %v", found)
	}
	if found := known.strangers("b", nil); len(found) != 0 {
		t.Errorf("of another format: %v", found)
	}
}

func TestCanonicalTexts(t *testing.T) {
	found := canonical(decode([]byte(`{"b": [1, true, null], "a": "é\u007f\n\"🦀 ~"}`)))
	if expected := `{"a": "\u00e9\u007f\n\"\ud83e\udd80 ~", "b": [1, true, null]}`; found != expected {
		t.Errorf("expected %s, found %s", expected, found)
	}
}

func TestLostRangesCoverBytes(t *testing.T) {
	text := `{"lost": [{"from": 4, "to": 9}, {"from": 1, "to": 4}, {"from": 20, "to": 20}, {"file": "x", "from": 2, "to": 3}]}`
	if found := ranges(decode([]byte(text))["lost"].([]any), false); len(found) != 2 || found[0].from != 1 || found[0].to != 9 || found[1].file != "x" {
		t.Errorf("found %v", found)
	}
}
