//go:build etcd33 || etcd35
