module walproof/implementations/sqlite-go

go 1.22
