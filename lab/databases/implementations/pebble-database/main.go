// Pebble on a damaged log; ../opener describes the arguments and the output.
package main

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"

	"walproof/opener"
)

func main() {
	opener.Run(opener.System{Make: empty, Twice: twice})
}

// words is the logger of Pebble.
type words struct{ isTold bool }

func (w words) say(format string, args []any) {
	if w.isTold {
		opener.Say(fmt.Sprintf(format, args...))
	}
}

func (w words) Infof(format string, args ...any)  { w.say(format, args) }
func (w words) Errorf(format string, args ...any) { w.say(format, args) }
func (w words) Fatalf(format string, args ...any) {
	w.say(format, args)
	os.Exit(1)
}

func empty(folder string) error {
	db, err := pebble.Open(folder, &pebble.Options{Logger: words{}})
	if err != nil {
		return err
	}
	return db.Close()
}

func twice(_, folder string) error {
	db, err := pebble.Open(folder, &pebble.Options{Logger: words{true}})
	if err != nil {
		return err
	}
	if err := each(db, opener.Item); err != nil {
		opener.Say(err.Error())
	}
	if err := db.Set([]byte(opener.More), []byte(opener.Written), pebble.Sync); err != nil {
		opener.Say(err.Error())
	}
	if err := db.Close(); err != nil {
		opener.Say(err.Error())
	}
	opener.Again()
	db, err = pebble.Open(folder, &pebble.Options{Logger: words{}})
	if err != nil {
		return err
	}
	defer db.Close()
	return each(db, opener.Later)
}

func each(db *pebble.DB, tell func(key, value []byte)) error {
	iterator, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.First(); iterator.Valid(); iterator.Next() {
		tell(iterator.Key(), iterator.Value())
	}
	return iterator.Error()
}
