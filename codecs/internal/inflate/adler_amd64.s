//go:build !purego

#include "textflag.h"

DATA weights<>+0(SB)/8, $0x191a1b1c1d1e1f20
DATA weights<>+8(SB)/8, $0x1112131415161718
DATA weights<>+16(SB)/8, $0x090a0b0c0d0e0f10
DATA weights<>+24(SB)/8, $0x0102030405060708
GLOBL weights<>(SB), RODATA|NOPTR, $32

DATA ones<>+0(SB)/4, $0x00010001
GLOBL ones<>(SB), RODATA|NOPTR, $4

// func sums(p *byte, n int) (all, before, weighted uint64)
//
// Y0 adds up the bytes, Y1 what Y0 was before each 32 of them, Y2 each byte
// times 32 to 1, by its place among 32. Lanes have 32 bits and more, which n of
// at most adlerLong cannot fill.
TEXT ·sums(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y7, Y7, Y7
	VMOVDQU weights<>(SB), Y5
	VPBROADCASTD ones<>(SB), Y6

step:
	VMOVDQU (SI), Y3
	VPADDQ Y0, Y1, Y1
	VPSADBW Y7, Y3, Y4
	VPADDQ Y4, Y0, Y0
	VPMADDUBSW Y5, Y3, Y3
	VPMADDWD Y6, Y3, Y3
	VPADDD Y3, Y2, Y2
	ADDQ $32, SI
	SUBQ $32, CX
	JNE  step

	// The lanes of Y2 are widened to 64 bits.
	VPSRLQ $32, Y2, Y3
	VPSLLQ $32, Y2, Y2
	VPSRLQ $32, Y2, Y2
	VPADDQ Y3, Y2, Y2

	VEXTRACTI128 $1, Y0, X3
	VPADDQ X3, X0, X0
	VPSRLDQ $8, X0, X3
	VPADDQ X3, X0, X0
	VMOVQ X0, AX
	MOVQ AX, all+16(FP)
	VEXTRACTI128 $1, Y1, X3
	VPADDQ X3, X1, X1
	VPSRLDQ $8, X1, X3
	VPADDQ X3, X1, X1
	VMOVQ X1, AX
	MOVQ AX, before+24(FP)
	VEXTRACTI128 $1, Y2, X3
	VPADDQ X3, X2, X2
	VPSRLDQ $8, X2, X3
	VPADDQ X3, X2, X2
	VMOVQ X2, AX
	MOVQ AX, weighted+32(FP)
	VZEROUPPER
	RET
