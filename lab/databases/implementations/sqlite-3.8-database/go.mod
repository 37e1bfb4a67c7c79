module walproof/implementations/sqlite-3.8

go 1.21

require github.com/mattn/go-sqlite3 v1.0.0
