module erelong.dev/erelong/examples/real/lease

go 1.26.0

require erelong.dev/erelong v0.0.0

replace erelong.dev/erelong => ../../..
