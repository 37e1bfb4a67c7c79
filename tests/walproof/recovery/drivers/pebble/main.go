// Opens Pebble databases. Each line of standard input is a request, as in the other drivers.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
)

const tableKeys, logKeys = 300, 40

func keyOf(number int) string { return fmt.Sprintf("key%06d", number) }

type request struct{ Action, Folder, Variant string }

type answer struct {
	Items   map[string]string `json:"items,omitempty"`
	Refused string            `json:"refused,omitempty"`
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) { os.Exit(1) }

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var given request
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		handle(given)
	}
}

func handle(given request) {
	defer func() {
		if failure := recover(); failure != nil {
			reply(answer{Refused: fmt.Sprint(failure)})
		}
	}()
	var items map[string]string
	var err error
	if given.Action == "write" {
		err = write(given.Folder, given.Variant == "closed")
		items = map[string]string{"written": ""}
	} else {
		items, err = read(given.Folder)
	}
	if err != nil {
		reply(answer{Refused: err.Error()})
		return
	}
	if len(items) == 0 {
		reply(answer{Refused: "no key"})
		return
	}
	reply(answer{Items: items})
}

func reply(result answer) {
	line, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

// write makes a database with three tables. If isClosed is false, the copy also has a log with
// records. All records have the same size, so that in a recycled file an older record begins at the
// end of the log.
func write(folder string, isClosed bool) error {
	busy := folder + ".busy"
	db, err := pebble.Open(busy, &pebble.Options{Logger: quiet{}})
	if err != nil {
		return err
	}
	for number := 0; number < tableKeys; number++ {
		value := fmt.Sprintf("value %03d of a table", number)
		if err := db.Set([]byte(keyOf(number)), []byte(value), pebble.NoSync); err != nil {
			return err
		}
		if number%100 == 99 {
			if err := db.Flush(); err != nil {
				return err
			}
		}
	}
	if isClosed {
		if err := db.Close(); err != nil {
			return err
		}
		return os.CopyFS(folder, os.DirFS(busy))
	}
	for number := tableKeys; number < tableKeys+logKeys; number++ {
		value := fmt.Sprintf("value %03d of the log", number)
		if err := db.Set([]byte(keyOf(number)), []byte(value), pebble.Sync); err != nil {
			return err
		}
	}
	defer db.Close()
	return copyOpen(busy, folder)
}

func copyOpen(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func read(folder string) (map[string]string, error) {
	db, err := pebble.Open(folder, &pebble.Options{Logger: quiet{}, ErrorIfNotExists: false})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	items := map[string]string{}
	for number := 0; number < tableKeys+logKeys; number++ { // an iterator stops at the first damaged block
		key := keyOf(number)
		value, closer, err := db.Get([]byte(key))
		if err != nil {
			continue
		}
		items[key] = string(value)
		if err := closer.Close(); err != nil {
			return nil, err
		}
	}
	return items, nil
}
