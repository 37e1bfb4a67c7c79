// goleveldb on a damaged log; ../opener describes the arguments and the output.
package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"walproof/opener"
)

func main() {
	opener.Run(opener.System{Make: empty, Twice: twice})
}

func empty(folder string) error {
	db, err := leveldb.OpenFile(folder, nil)
	if err != nil {
		return err
	}
	return db.Close()
}

func twice(mode, folder string) error {
	db, err := open(mode, folder)
	words(folder)
	if err != nil {
		return err
	}
	if err := each(db, opener.Item); err != nil {
		opener.Say(err.Error())
	}
	if err := db.Put([]byte(opener.More), []byte(opener.Written), &opt.WriteOptions{Sync: true}); err != nil {
		opener.Say(err.Error())
	}
	db.Close()
	opener.Again()
	db, err = leveldb.OpenFile(folder, options(mode))
	if err != nil {
		return err
	}
	defer db.Close()
	return each(db, opener.Later)
}

func options(mode string) *opt.Options {
	if mode == "strict" {
		return &opt.Options{Strict: opt.StrictAll}
	}
	return nil
}

func open(mode, folder string) (*leveldb.DB, error) {
	if mode == "recover" {
		return leveldb.RecoverFile(folder, nil)
	}
	return leveldb.OpenFile(folder, options(mode))
}

func each(db *leveldb.DB, tell func(key, value []byte)) error {
	iterator := db.NewIterator(nil, nil)
	defer iterator.Release()
	for iterator.Next() {
		tell(iterator.Key(), iterator.Value())
	}
	return iterator.Error()
}

// words prints the lines of goleveldb's text log, without the time.
func words(folder string) {
	file, err := os.Open(filepath.Join(folder, "LOG"))
	if err != nil {
		return
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if _, said, found := strings.Cut(lines.Text(), " "); found {
			opener.Say(said)
		}
	}
}
