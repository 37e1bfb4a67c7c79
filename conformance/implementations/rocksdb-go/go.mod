module walproof/implementations/rocksdb-go

go 1.25

require github.com/klauspost/compress v1.20.4
