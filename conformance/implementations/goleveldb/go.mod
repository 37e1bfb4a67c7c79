module walproof/implementations/goleveldb

go 1.21

require (
	github.com/syndtr/goleveldb v1.0.1-0.20220721030215-126854af5e6d
	walproof/adapterkit v0.0.0
)

replace walproof/adapterkit => ../../adapterkit/go
