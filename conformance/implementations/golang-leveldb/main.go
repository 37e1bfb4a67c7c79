// Adapter for golang/leveldb's record package: its reader and writer, called as in leveldb.DB.
package main

import (
	"github.com/golang/leveldb/record"

	"walproof/adapterkit"
)

const module = "github.com/golang/leveldb"

func main() {
	adapterkit.Run(adapterkit.Adapter{
		Name:     "golang-leveldb",
		Version:  adapterkit.ModuleVersion(module),
		Formats:  []string{"leveldb-log"},
		Profiles: []string{"recover", "write"},
		Reports:  []string{"records", "signals"},
		Homepage: "https://" + module,
		Issues:   "https://" + module + "/issues",
		Read:     read,
		Write:    write,

		Acknowledges: true,
	})
}

// read is the loop of DB.replayLogFile (leveldb.go) without the decoding of write batches: it ends at
// the first error, and never calls Reader.Recover, because the DB does not.
func read(req adapterkit.Request) (*adapterkit.Answer, error) {
	return adapterkit.ReadRecords(req, record.NewReader)
}

// write flushes after every record, as DB.Apply does with WriteOptions.Sync (leveldb.go).
func write(req adapterkit.Request) error {
	return adapterkit.WriteRecords(req, record.NewWriter)
}
