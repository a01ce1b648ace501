// Package aes256 encrypts and decrypts as Unreal archives do: 256-bit keys, in ECB
// mode, where every 16 bytes are encrypted for themselves, or, from UE 6 on, in CTR
// mode.
package aes256

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// KeySize is the size of every key.
const KeySize = 32

// Block is the unit that encrypted data is padded to.
const Block = aes.BlockSize

// Align rounds n up to whole AES blocks. n must be at most 2^63-16.
func Align(n int64) int64 { return (n + Block - 1) &^ (Block - 1) }

// ParseKey reads a key as people pass it on: base64, 64 hex digits with or
// without 0x, or the 32 ASCII characters of the engine's old -aes= option. Forms
// are recognised by their length. The error does not repeat the key.
func ParseKey(s string) ([]byte, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	if len(digits) == 2*KeySize {
		if key, err := hex.DecodeString(digits); err == nil {
			return key, nil
		}
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if key, err := enc.DecodeString(s); err == nil && len(key) == KeySize {
			return key, nil
		}
	}
	if len(s) == KeySize && isASCII(s) {
		return []byte(s), nil
	}
	return nil, fmt.Errorf("not an AES-256 key: 64 hex digits, base64 of 32 bytes, or 32 characters wanted, got %d characters", len(s))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e || r < 0x20 }) < 0
}

// DecryptECB decrypts buf in place. Its length must be a multiple of Block; what
// is left over stays as it is.
func DecryptECB(c cipher.Block, buf []byte) {
	for ; len(buf) >= Block; buf = buf[Block:] {
		c.Decrypt(buf, buf)
	}
}

// EncryptECB is the inverse of [DecryptECB].
func EncryptECB(c cipher.Block, buf []byte) {
	for ; len(buf) >= Block; buf = buf[Block:] {
		c.Encrypt(buf, buf)
	}
}

// XORKeyStreamCTR decrypts or encrypts buf in place as UE 6 does: the counter
// block is the IV followed by a big-endian u32 that counts AES blocks from the
// start of the unit. at is the offset of buf within its unit, a multiple of
// Block.
func XORKeyStreamCTR(c cipher.Block, iv [12]byte, at int64, buf []byte) {
	var counter [Block]byte
	copy(counter[:], iv[:])
	binary.BigEndian.PutUint32(counter[12:], uint32(at/Block))
	cipher.NewCTR(c, counter[:]).XORKeyStream(buf, buf)
}

// AppendPadding appends the bytes that bring n bytes of data to whole AES
// blocks. They repeat the data from its start, of which head holds at least the
// first 16 bytes, or all when there are fewer.
func AppendPadding(dst, head []byte, n int64) []byte {
	if len(head) == 0 {
		return dst
	}
	for i := range int(Align(n) - n) {
		dst = append(dst, head[i%len(head)])
	}
	return dst
}
