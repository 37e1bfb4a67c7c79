module walproof/opener

go 1.21
