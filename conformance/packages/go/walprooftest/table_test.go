package walprooftest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// table is a reader that knows what to say of each log. The project's own tests give one to the
// runner of every language: all must judge it alike.
type table struct {
	Name     string
	Formats  []string
	Vectors  []string
	Reports  []string
	Profiles []string
	Patience int
	Acts     map[string]act
}

type act struct {
	Answer *struct {
		Verdict string
		Reason  string
		Records []map[string]any
		Lost    []Lost
		End     any
		Signals []string
	}
	Change bool
	Files  map[string]string
	Refuse string
	Skip   string
	Raise  string
	Hang   bool
}

func TestTables(t *testing.T) {
	folder := os.Getenv("WALPROOF_TABLES")
	if folder == "" {
		t.Skip("WALPROOF_TABLES names no folder of tables")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		var made table
		if err == nil {
			err = json.Unmarshal(data, &made)
		}
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(file, ".json")
		t.Run(made.Name, func(t *testing.T) {
			for _, format := range made.Formats {
				write := func(asked Request) error {
					_, err := made.act(asked)
					return err
				}
				Run(t, format, Subject{
					Reports: made.Reports, Profiles: made.Profiles, Patience: made.Patience,
					Known: base + ".known", Results: base + ".go",
					Choose: func(v *Vector) bool { return slices.Contains(made.Vectors, v.ID) },
					Read:   made.read, Write: write, Append: write,
				})
			}
		})
	}
}

func (m table) read(asked Request) (Answer, error) {
	found, err := m.act(asked)
	if err != nil {
		return Answer{}, err
	}
	said := found.Answer
	answer := Answer{Verdict: said.Verdict, Reason: said.Reason, Lost: said.Lost, End: said.End, Signals: said.Signals}
	for _, fields := range said.Records {
		payload, err := hex.DecodeString(fields["payload"].(string))
		if err != nil {
			return answer, err
		}
		others := maps.Clone(fields)
		delete(others, "payload")
		answer.Records = append(answer.Records, Record{payload, others})
	}
	return answer, nil
}

func (m table) act(asked Request) (act, error) {
	records := []any{}
	for _, one := range asked.Records {
		fields := object{"payload": hex.EncodeToString(one.Payload)}
		for name, value := range one.Fields {
			fields[name] = value
		}
		records = append(records, fields)
	}
	text, _ := json.Marshal(object{"context": asked.Context, "records": records})
	told := decode(text)
	parts := []string{
		asked.Format, asked.Profile, filepath.Base(asked.Path), canonical(told["context"]),
		contentDigest(asked.Path), canonical(told["records"]),
	}
	found, is := m.Acts[hexDigest([]byte(strings.Join(parts, "\n")))]
	switch {
	case !is:
		return found, Skip("not in the table")
	case found.Hang:
		select {}
	case found.Skip != "":
		return found, Skip(found.Skip)
	case found.Raise != "":
		panic(found.Raise)
	}
	if found.Change {
		if err := change(asked.Path); err != nil {
			return found, err
		}
	}
	if found.Refuse != "" {
		return found, errors.New(found.Refuse)
	}
	if found.Files == nil {
		return found, nil
	}
	err := os.RemoveAll(asked.Path)
	for name, data := range found.Files {
		target := filepath.Join(filepath.Dir(asked.Path), filepath.FromSlash(name))
		content, _ := hex.DecodeString(data)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(target), 0o777), os.WriteFile(target, content, 0o666))
	}
	return found, err
}

func change(path string) error {
	names := sorted(path)
	target := path
	if len(names) > 0 {
		target = filepath.Join(path, filepath.FromSlash(names[len(names)-1]))
	}
	file, err := os.OpenFile(target, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = file.Write([]byte{0})
		file.Close()
	}
	return err
}

// sorted are the names below a folder; none for a file.
func sorted(path string) []string {
	names := []string{}
	for name := range filesBelow(path) {
		if name != "." {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func contentDigest(path string) string {
	stat, err := os.Stat(path)
	if err != nil {
		return "-"
	}
	if !stat.IsDir() {
		data, _ := os.ReadFile(path)
		return hexDigest(data)
	}
	listing := ""
	for _, name := range sorted(path) {
		data, _ := os.ReadFile(filepath.Join(path, filepath.FromSlash(name)))
		listing += fmt.Sprintf("%s  %s\n", hexDigest(data), name)
	}
	return hexDigest([]byte(listing))
}

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
