module walproof/implementations/zeebe-go

go 1.22
