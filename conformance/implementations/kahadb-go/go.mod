module walproof/implementations/kahadb-go

go 1.22
