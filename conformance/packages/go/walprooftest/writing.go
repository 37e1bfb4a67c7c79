package walprooftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// after is what a write or an append leaves.
type after struct {
	Files []file `json:"files"`
	Bytes []struct {
		Name string `json:"name"`
		At   int64  `json:"at"`
		Hex  string `json:"hex"`
	} `json:"bytes"`
	Free []map[string]string `json:"free"`
}

type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func afterOf(raw json.RawMessage) after {
	var found after
	_ = json.Unmarshal(raw, &found)
	return found
}

func (a after) leaves(freedom string) bool {
	return slices.ContainsFunc(a.Free, func(one map[string]string) bool { return one["freedom"] == freedom })
}

// determined says whether every byte is.
func (a after) determined() bool {
	return !slices.ContainsFunc(a.Files, func(one file) bool { return one.SHA256 == "" })
}

// written asks for a new log, whose bytes are determined.
func (s Subject) written(v *Vector, files map[string][]byte) (string, error) {
	place, done, err := scratch(v, nil)
	if err != nil {
		return "crash", err
	}
	defer done()
	if s.Write == nil {
		return "skipped", Skip("there is no Write")
	}
	class, err := s.guard(v, func() error { return s.Write(request(v, place, "write")) })
	if class == "refused" {
		return refused(v, place, nil, err)
	} else if class != "" {
		return class, err
	}
	if v.MustRefuse {
		return "fail", errors.New("the writer says done where it must refuse")
	}
	if !sameFiles(place, v, files) {
		return "fail", errors.New("bytes: the log is not what it should be")
	}
	if wrong := filesWrong(v, place, afterOf(v.After)); wrong != "" {
		return "fail", errors.New(wrong)
	}
	return "pass", nil
}

// appended asks to go on with a log. What is read then, a hash says where every byte is determined.
func (s Subject) appended(v *Vector, files map[string][]byte) (string, error) {
	place, done, err := scratch(v, files)
	if err != nil {
		return "crash", err
	}
	defer done()
	if s.Append == nil {
		return "skipped", Skip("there is no Append")
	}
	class, err := s.guard(v, func() error { return s.Append(request(v, place, "append")) })
	if class == "refused" {
		return refused(v, place, files, err)
	} else if class != "" {
		return class, err
	}
	if v.MustRefuse {
		return "fail", errors.New("the writer says done where it must refuse")
	}
	allowed := []after{afterOf(v.After)}
	for _, other := range v.Accept {
		allowed = append(allowed, afterOf(other.After))
	}
	first := ""
	for _, one := range allowed {
		wrong := filesWrong(v, place, one)
		if wrong == "" && one.determined() {
			return "pass", nil
		} else if wrong == "" {
			return "skipped", Skip("the writer is free here: only walproof check reads what it left")
		} else if first == "" {
			first = wrong
		}
	}
	return "fail", errors.New(first)
}

// refused judges a refusal: allowed, and nothing has changed.
func refused(v *Vector, place string, files map[string][]byte, why error) (string, error) {
	if !v.MustRefuse && !v.MayRefuse {
		return "fail", fmt.Errorf("the writer refused: %w", why)
	}
	_, err := os.Lstat(place)
	if there := err == nil; there != (files != nil) || there && !sameFiles(place, v, files) {
		return "fail", errors.New("the writer refused, and changed the log")
	}
	owed := after{Free: afterOf(v.After).Free}
	for name, data := range files {
		full := v.Input
		if !v.IsFile() {
			full = v.Input + "/" + name
		}
		owed.Files = append(owed.Files, file{Name: full, Size: int64(len(data))})
	}
	if wrong := filesWrong(v, place, owed); wrong != "" {
		return "fail", fmt.Errorf("the writer refused, and changed what is there: %s", wrong)
	}
	return "pass", nil
}

// filesWrong says what is wrong with the files in the folder of a place, the log's and others.
func filesWrong(v *Vector, place string, owed after) string {
	folder, there := filepath.Dir(place), map[string]int64{}
	for name, size := range filesBelow(folder) {
		there[own(v, name)] = size
	}
	wrong := []string{}
	for _, file := range owed.Files {
		name, found := fitting(there, file.Name)
		if !found {
			wrong = append(wrong, file.Name+" is missing")
			continue
		}
		if size := there[name]; size != file.Size && !owed.leaves("preallocation") {
			wrong = append(wrong, fmt.Sprintf("%s: expected %d bytes, found %d", file.Name, file.Size, size))
		}
		delete(there, name)
	}
	if !owed.leaves("other-files") {
		for name := range there {
			wrong = append(wrong, name+" should not be there")
		}
	}
	sort.Strings(wrong)
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(neutral(v, name))) }
	for _, part := range owed.Bytes {
		data, err := os.ReadFile(at(part.Name))
		owed, _ := hex.DecodeString(part.Hex)
		if err != nil || int64(len(data)) < part.At || !bytes.HasPrefix(data[part.At:], owed) {
			wrong = append(wrong, fmt.Sprintf("%s at %d: expected %s", part.Name, part.At, part.Hex))
		}
	}
	for _, file := range owed.Files {
		if file.SHA256 == "" {
			continue
		}
		data, err := os.ReadFile(at(file.Name))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != file.SHA256 {
			wrong = append(wrong, file.Name+": other bytes")
		}
	}
	return strings.Join(wrong, ", ")
}

// fitting is the first name that is an expected one, which may be a shell pattern.
func fitting(there map[string]int64, expected string) (string, bool) {
	names := []string{}
	for name := range there {
		if matches, _ := path.Match(expected, name); matches || name == expected {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(1, len(names))], ""), len(names) > 0
}

// own is the opposite of neutral: a name as the vector has it.
func own(v *Vector, name string) string {
	if rest, found := strings.CutPrefix(name, "case"); found && neutral(v, v.Input) != v.Input {
		return path.Base(v.ID) + rest
	}
	return name
}

// filesBelow are the sizes of what is below a folder and no folder itself, by names with /.
func filesBelow(folder string) map[string]int64 {
	found := map[string]int64{}
	_ = filepath.WalkDir(folder, func(one string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		name, _ := filepath.Rel(folder, one)
		if info, err := entry.Info(); err == nil {
			found[filepath.ToSlash(name)] = info.Size()
		}
		return nil
	})
	return found
}
