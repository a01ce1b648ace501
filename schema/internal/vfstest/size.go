package vfstest

import (
	"unsafe"

	"modernc.org/libc/sys/types"
)

func sizeOf[T any]() types.Size_t {
	var v T
	return types.Size_t(unsafe.Sizeof(v))
}
