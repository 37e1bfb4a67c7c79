// A C interface, for ../sqlite/adapter.py, to modernc.org/sqlite. Arguments are JSON. A reply is a JSON object with an
// error or with the rows of a statement, whose values are integers. The caller must pass each reply to Free.
package main

// #include <stdlib.h>
import "C"

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"runtime/debug"
	"unsafe"

	_ "modernc.org/sqlite"
)

// The adapter opens one database at a time and has one connection to it, as C programs do.
var (
	database   *sql.DB
	connection *sql.Conn
)

//export Version
func Version() *C.char {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "modernc.org/sqlite" {
			return C.CString(module.Version)
		}
	}
	return C.CString("unknown")
}

//export Open
func Open(path *C.char) *C.char {
	var name string
	err := json.Unmarshal([]byte(C.GoString(path)), &name)
	if err == nil {
		database, err = sql.Open("sqlite", name)
	}
	if err == nil {
		connection, err = database.Conn(context.Background())
	}
	return reply(nil, err)
}

// Execute runs a statement. A value is an integer, or a blob in hexadecimal.
//
//export Execute
func Execute(statement, values *C.char) *C.char {
	var text string
	var arguments []any
	if err := json.Unmarshal([]byte(C.GoString(statement)), &text); err != nil {
		return reply(nil, err)
	}
	if err := json.Unmarshal([]byte(C.GoString(values)), &arguments); err != nil {
		return reply(nil, err)
	}
	for i, argument := range arguments {
		switch argument := argument.(type) {
		case float64:
			arguments[i] = int64(argument)
		case string:
			blob, err := hex.DecodeString(argument)
			if err != nil {
				return reply(nil, err)
			}
			arguments[i] = blob
		}
	}
	return reply(query(text, arguments))
}

func query(text string, arguments []any) ([][]int64, error) {
	rows, err := connection.QueryContext(context.Background(), text, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := [][]int64{}
	for rows.Next() {
		row := make([]int64, len(columns))
		targets := make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

//export Close
func Close() *C.char {
	err := connection.Close()
	if closed := database.Close(); err == nil {
		err = closed
	}
	return reply(nil, err)
}

//export Free
func Free(text *C.char) { C.free(unsafe.Pointer(text)) }

func reply(rows [][]int64, err error) *C.char {
	message := map[string]any{"rows": rows}
	if rows == nil {
		message["rows"] = [][]int64{}
	}
	if err != nil {
		message = map[string]any{"error": err.Error()}
	}
	text, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return C.CString(string(text))
}

func main() {}
