module walproof/adapterkit

go 1.21
