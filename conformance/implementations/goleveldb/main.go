// Adapter for goleveldb's journal package: its reader and writer, called as in leveldb.DB.
package main

import (
	"bytes"
	"io"
	"os"

	"github.com/syndtr/goleveldb/leveldb/journal"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"walproof/adapterkit"
)

const module = "github.com/syndtr/goleveldb"

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "goleveldb",
		Version:  adapterkit.ModuleVersion(module),
		Formats:  []string{"leveldb-log"},
		Profiles: []string{"recover", "strict", "write"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://" + module,
		Issues:   "https://" + module + "/issues",
		Read:     read,
		Write:    write,

		Acknowledges: true,
	})
}

// dropper turns each report of a dropped block or chunk into a signal; the DB only logs them.
type dropper struct{ answer *adapterkit.Answer }

func (d dropper) Drop(err error) { d.answer.Signal(err) }

// read is the loop of DB.recoverJournal (leveldb/db.go) without the decoding of write batches. The
// flags come from the options of the DB, which are the defaults for recover, and include
// StrictJournal for strict.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	file, err := os.Open(req.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	options := &opt.Options{}
	if req.Profile == "strict" {
		options.Strict = opt.DefaultStrict | opt.StrictJournal
	}
	strict := options.GetStrict(opt.StrictJournal)
	checksum := options.GetStrict(opt.StrictJournalChecksum)

	answer := adapterkit.NewAnswer()
	reader := journal.NewReader(file, dropper{answer}, strict, checksum)
	var record bytes.Buffer
	for {
		chunks, err := reader.Next()
		if err == io.EOF {
			return answer, nil
		}
		if err != nil {
			answer.Signal(err)
			return answer, nil
		}
		record.Reset()
		_, err = record.ReadFrom(chunks)
		if err == io.ErrUnexpectedEOF {
			continue // the DB continues with the next record: the dropper has reported the reason
		}
		if err != nil {
			answer.Signal(err)
			return answer, nil
		}
		answer.Release(record.Bytes())
	}
}

// write flushes after every record, as DB.writeJournal does (leveldb/db_write.go).
func write(req adapterkit.Request) error {
	return adapterkit.WriteRecords(req, journal.NewWriter)
}
