module walproof/implementations/golang-leveldb

go 1.21

require (
	github.com/golang/leveldb v0.0.0-20170107010102-259d9253d719
	walproof/adapterkit v0.0.0
)

replace walproof/adapterkit => ../../adapterkit/go
