module walproof/implementations/sqlite-3.39

go 1.21

require github.com/mattn/go-sqlite3 v1.14.16
