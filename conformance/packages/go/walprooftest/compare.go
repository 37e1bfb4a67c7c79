package walprooftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
)

// object is an answer, or a part of one, as JSON: its numbers are json.Number.
type object = map[string]any

const inline = 4096 // bytes; of a longer payload there is the hash

var parts = []string{"end", "lost", "reason", "records", "signals", "verdict"}

// object is the answer as vectors have it.
func (a Answer) object() (object, error) {
	records := []any{}
	for _, one := range a.Records {
		fields := object{}
		for name, value := range one.Fields {
			fields[name] = value
		}
		if len(one.Payload) > inline {
			sum := sha256.Sum256(one.Payload)
			fields["payload_sha256"] = hex.EncodeToString(sum[:])
		} else {
			fields["payload"] = hex.EncodeToString(one.Payload)
		}
		records = append(records, fields)
	}
	all := object{"records": records, "end": a.End, "signals": a.Signals, "lost": nil}
	if a.Lost != nil {
		lost := []any{}
		for _, one := range a.Lost {
			found := object{"from": one.From, "to": one.To}
			if one.File != "" {
				found["file"] = one.File
			}
			if one.Reason != "" {
				found["reason"] = one.Reason
			}
			lost = append(lost, found)
		}
		all["lost"] = lost
	}
	for name, text := range map[string]string{"verdict": a.Verdict, "reason": a.Reason} {
		if text != "" {
			all[name] = text
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return decode(text), nil
}

func decode(text []byte) object {
	found := object{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&found) != nil {
		return nil
	}
	return found
}

// owed are the answers that are right: the expected one first.
func owed(v *Vector, profile string) []object {
	pick := func(recover stated, strict *stated) stated {
		if profile == "strict" && strict != nil {
			return *strict
		}
		return recover
	}
	all := []object{jsonOf(pick(v.Expect, v.ExpectStrict))}
	for _, other := range v.Accept {
		all = append(all, jsonOf(pick(other.Answer, other.AnswerStrict)))
	}
	return all
}

func jsonOf(a stated) object {
	records := []any{}
	for _, one := range a.Records {
		records = append(records, one.Fields)
	}
	all := object{"verdict": a.Verdict, "reason": a.Reason, "records": records, "lost": a.Lost, "end": a.End}
	text, _ := json.Marshal(all) // it was JSON before
	return decode(text)
}

type row struct {
	length int
	expect object
}

// rows are the prefixes that a vector of truncations asks about: both ends of each line of its table.
func rows(v *Vector) []row {
	var table []struct {
		From, To, Records int
		End               any // "length", or an offset
		Verdict           string
		Reason            *string
	}
	_ = json.Unmarshal(v.Table, &table)
	control := jsonOf(v.Expect)["records"].([]any)
	found := []row{}
	for _, line := range table {
		for _, length := range slices.Compact([]int{line.From, line.To}) {
			end, isNumber := line.End.(float64)
			if !isNumber {
				end = float64(length)
			}
			lost := []any{}
			if line.Verdict == "torn" {
				lost = append(lost, object{"from": int(end), "to": length, "reason": line.Reason})
			}
			text, _ := json.Marshal(object{
				"verdict": line.Verdict, "reason": line.Reason, "records": control[:line.Records],
				"lost": lost, "end": int(end),
			})
			found = append(found, row{length, decode(text)})
		}
	}
	return found
}

// differences says what differs in the parts that are reported.
func differences(expected, actual object, reports []string) []string {
	wrong := []string(nil)
	if slices.Contains(reports, "records") {
		fields := slices.DeleteFunc(slices.Clone(reports), func(one string) bool { return slices.Contains(parts, one) })
		if text := recordDifference(list(expected["records"]), list(actual["records"]), fields); text != "" {
			wrong = append(wrong, text)
		}
	}
	for _, part := range []string{"verdict", "reason", "end"} {
		if want, got := canonical(expected[part]), canonical(actual[part]); slices.Contains(reports, part) && want != got {
			wrong = append(wrong, fmt.Sprintf("%s: expected %s, found %s", part, want, got))
		}
	}
	if slices.Contains(reports, "lost") {
		withReasons := slices.Contains(reports, "reason")
		want, got := ranges(list(expected["lost"]), withReasons), ranges(list(actual["lost"]), withReasons)
		if !slices.Equal(want, got) {
			wrong = append(wrong, fmt.Sprintf("lost: expected %v, found %v", want, got))
		}
	}
	if slices.Contains(reports, "signals") {
		verdict, silent := expected["verdict"], len(list(actual["signals"])) == 0
		if verdict == "intact" && !silent {
			wrong = append(wrong, fmt.Sprintf("signals: expected none for an intact log, found %v", actual["signals"]))
		} else if (verdict == "damaged" || verdict == "refused") && silent {
			wrong = append(wrong, fmt.Sprintf("signals: a %s log, and not a word of it", verdict))
		}
	}
	return wrong
}

func list(value any) []any {
	found, _ := value.([]any)
	return found
}

func recordDifference(expected, actual []any, fields []string) string {
	for number := 0; number < len(expected) && number < len(actual); number++ {
		want, got := expected[number].(object), actual[number].(object)
		for _, name := range append([]string{"payload", "payload_sha256"}, fields...) {
			if one, other := canonical(want[name]), canonical(got[name]); one != other {
				return fmt.Sprintf("records: expected %d, found %d; %s of record %d: expected %.80s, found %.80s",
					len(expected), len(actual), name, number, one, other)
			}
		}
	}
	if len(expected) != len(actual) {
		return fmt.Sprintf("records: expected %d, found %d", len(expected), len(actual))
	}
	return ""
}

// lostRange is comparable: a range with its reason, or a merged one without.
type lostRange struct {
	file     string
	from, to int64
	reason   string
}

// ranges are lost ranges with their reasons or, without these, the bytes that they cover.
func ranges(lost []any, withReasons bool) []lostRange {
	all := []lostRange{}
	for _, one := range lost {
		fields := one.(object)
		from, _ := fields["from"].(json.Number)
		to, _ := fields["to"].(json.Number)
		found := lostRange{}
		found.from, _ = from.Int64()
		found.to, _ = to.Int64()
		found.file, _ = fields["file"].(string)
		found.reason, _ = fields["reason"].(string)
		all = append(all, found)
	}
	if withReasons {
		return all
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return a.file < b.file || a.file == b.file && (a.from < b.from || a.from == b.from && a.to < b.to)
	})
	merged := []lostRange{}
	for _, one := range all {
		one.reason = ""
		if last := len(merged) - 1; last >= 0 && merged[last].file == one.file && one.from <= merged[last].to {
			merged[last].to = max(merged[last].to, one.to)
		} else if one.from < one.to {
			merged = append(merged, one)
		}
	}
	return merged
}

// digest pins all that was said, the wording of signals apart.
func digest(actual object, reports []string) string {
	said := object{"signals": false}
	for _, part := range parts {
		if slices.Contains(reports, part) {
			said[part] = actual[part]
		}
	}
	said["signals"] = slices.Contains(reports, "signals") && len(list(actual["signals"])) > 0
	sum := sha256.Sum256([]byte(canonical(said)))
	return hex.EncodeToString(sum[:4])
}

// canonical is the one text of a value: keys in order, ", " and ": ", all that is not ASCII escaped.
func canonical(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return quoted(value)
	case []any:
		texts := []string{}
		for _, one := range value {
			texts = append(texts, canonical(one))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case object:
		names, texts := []string{}, []string{}
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			texts = append(texts, quoted(name)+": "+canonical(value[name]))
		}
		return "{" + strings.Join(texts, ", ") + "}"
	default: // a json.Number, or a bool
		return fmt.Sprint(value)
	}
}

func quoted(text string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}
	var out strings.Builder
	for _, one := range text {
		if escaped, is := short[one]; is {
			out.WriteString(escaped)
		} else if one >= ' ' && one <= '~' {
			out.WriteRune(one)
		} else {
			for _, unit := range utf16.Encode([]rune{one}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return `"` + out.String() + `"`
}
