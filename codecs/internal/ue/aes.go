package ue

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// KeySize is the size of every AES key of the engine: AES-256.
const KeySize = 32

// AESBlock is the unit that encrypted data is padded to.
const AESBlock = aes.BlockSize

// AlignAES rounds n up to whole AES blocks. n must be at most 2^63-16.
func AlignAES(n int64) int64 { return (n + AESBlock - 1) &^ (AESBlock - 1) }

// DecryptECB decrypts buf in place. Its length must be a multiple of AESBlock;
// what is left over stays as it is.
func DecryptECB(c cipher.Block, buf []byte) {
	for ; len(buf) >= AESBlock; buf = buf[AESBlock:] {
		c.Decrypt(buf, buf)
	}
}

// EncryptECB is the inverse of [DecryptECB].
func EncryptECB(c cipher.Block, buf []byte) {
	for ; len(buf) >= AESBlock; buf = buf[AESBlock:] {
		c.Encrypt(buf, buf)
	}
}

// XORKeyStreamCTR decrypts or encrypts buf in place as UE 6 does: the counter
// block is the IV followed by a big-endian u32 that counts AES blocks from the
// start of the unit. at is the offset of buf within its unit, a multiple of
// AESBlock.
func XORKeyStreamCTR(c cipher.Block, iv [12]byte, at int64, buf []byte) {
	var counter [AESBlock]byte
	copy(counter[:], iv[:])
	binary.BigEndian.PutUint32(counter[12:], uint32(at/AESBlock))
	cipher.NewCTR(c, counter[:]).XORKeyStream(buf, buf)
}

// AppendPadding appends the bytes that bring n bytes of data to whole AES
// blocks. They repeat the data from its start, of which head holds at least the
// first 16 bytes, or all when there are fewer.
func AppendPadding(dst, head []byte, n int64) []byte {
	if len(head) == 0 {
		return dst
	}
	for i := range int(AlignAES(n) - n) {
		dst = append(dst, head[i%len(head)])
	}
	return dst
}
