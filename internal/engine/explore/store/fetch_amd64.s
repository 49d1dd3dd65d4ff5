#include "go_asm.h"
#include "textflag.h"

// func fetch(blocks [][]bucket, hashes []uint64, bits uint) uint32
TEXT ·fetch(SB), NOSPLIT|NOFRAME, $0-60
	MOVQ blocks_base+0(FP), DI
	MOVQ hashes_base+24(FP), SI
	MOVQ hashes_len+32(FP), DX
	MOVQ $64, CX
	SUBQ bits+48(FP), CX
	TESTQ DX, DX
	JEQ  done

next:
	MOVQ (SI), AX
	SHLQ $const_shardBits, AX
	SHRQ CX, AX // the home
	MOVQ AX, BX
	SHRQ $const_blockBits, BX // its block
	ANDQ $(const_blockBuckets-1), AX
	SHLQ $const_bucketBits, AX
	LEAQ (BX)(BX*2), BX // a slice has three words
	MOVQ (DI)(BX*8), R8
	PREFETCHT0 (R8)(AX*1)
	ADDQ $8, SI
	DECQ DX
	JNE  next

done:
	MOVL $0, ret+56(FP)
	RET

// func fetchQuotients(blocks []*block, hashes []uint64, n uint64) uint32
TEXT ·fetchQuotients(SB), NOSPLIT|NOFRAME, $0-60
	MOVQ blocks_base+0(FP), DI
	MOVQ hashes_base+24(FP), SI
	MOVQ hashes_len+32(FP), CX
	MOVQ n+48(FP), R9
	TESTQ CX, CX
	JEQ  done

next:
	MOVQ (SI), AX
	MULQ R9 // the home, in DX
	MOVQ DX, BX
	SHRQ $const_blockBits, BX // its block
	ANDQ $(const_blockBuckets-1), DX
	SHLQ $const_bucketBits, DX
	MOVQ (DI)(BX*8), R8
	PREFETCHT0 (R8)(DX*1)
	ADDQ $8, SI
	DECQ CX
	JNE  next

done:
	MOVL $0, ret+56(FP)
	RET
