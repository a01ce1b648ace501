package script

// operation is what a token means, whichever generation wrote it.
type operation uint8

const (
	opUnknown operation = iota
	opVariable
	opDefault
	opReturn
	opSwitch
	opJump
	opJumpIfNot
	opStop
	opAssert
	opCase
	opNothing
	opLabels
	opGotoLabel
	opEat
	opLet
	opElement
	opNew
	opContext
	opMetaCast
	opDynamicCast
	opLine
	opSelf
	opSkip
	opVirtual
	opFinal
	opInt
	opFloat
	opString
	opWideString
	opObject
	opName
	opRotation
	opVector
	opRange
	opByte
	opZero
	opOne
	opTrue
	opFalse
	opNone
	opBoolVariable
	opResize
	opIterator
	opIteratorPop
	opIteratorNext
	opStructEqual
	opStructUnequal
	opMember
	opLength
	opGlobal
	opCast
	opPlainCast // of UE1: the token itself says which
	opReturnNothing
	opEqual
	opUnequal
	opNoDelegate
	opInsert
	opRemove
	opDebugInfo
	opDelegateCall
	opDelegate
	opConditional
	opFind
	opFindStruct
	opDefaultParm
	opEmptyParm
	opEndParm
	opInstanceDelegate
	opStringRef
	opInterfaceContext
	opInterfaceCast
	opEnd
	opAdd
	opAddItem
	opRemoveItem
	opInsertItem
	opSort
	opArrayIterator
	opFilter
	opNative
	opCount
)

// common has the tokens that mean the same in all generations.
var common = [0x60]operation{
	0x00: opVariable, 0x01: opVariable, 0x02: opDefault, 0x29: opVariable,
	0x04: opReturn, 0x05: opSwitch, 0x06: opJump, 0x07: opJumpIfNot, 0x08: opStop, 0x09: opAssert, 0x0A: opCase, 0x0B: opNothing,
	0x0C: opLabels, 0x0D: opGotoLabel, 0x0E: opEat, 0x0F: opLet, 0x10: opElement, 0x11: opNew, 0x12: opContext, 0x13: opMetaCast,
	0x14: opLet, 0x16: opEndParm, 0x17: opSelf, 0x18: opSkip, 0x19: opContext, 0x1A: opElement, 0x1B: opVirtual, 0x1C: opFinal,
	0x1D: opInt, 0x1E: opFloat, 0x1F: opString, 0x20: opObject, 0x21: opName, 0x22: opRotation, 0x23: opVector, 0x24: opByte,
	0x25: opZero, 0x26: opOne, 0x27: opTrue, 0x28: opFalse, 0x2A: opNone, 0x2C: opByte, 0x2D: opBoolVariable, 0x2E: opDynamicCast,
	0x2F: opIterator, 0x30: opIteratorPop, 0x31: opIteratorNext, 0x32: opStructEqual, 0x33: opStructUnequal, 0x34: opWideString,
}

// older has what UE1 and UE2 mean by the others, newer what UE3 does.
var older = [0x60]operation{
	0x35: opRange, 0x36: opMember, 0x37: opLength, 0x38: opGlobal, 0x39: opCast, 0x3A: opReturnNothing,
	0x3B: opEqual, 0x3C: opUnequal, 0x3D: opEqual, 0x3E: opUnequal, 0x3F: opNoDelegate, 0x40: opInsert, 0x41: opRemove,
	0x42: opDebugInfo, 0x43: opDelegateCall, 0x44: opDelegate, 0x45: opLet, 0x47: opEnd, 0x48: opConditional,
}

var newer = [0x60]operation{
	0x03: opVariable, 0x48: opVariable, 0x15: opEndParm,
	0x35: opMember, 0x36: opLength, 0x37: opGlobal, 0x38: opCast, 0x39: opInsert, 0x40: opRemove, 0x3A: opReturnNothing,
	0x3B: opEqual, 0x3C: opUnequal, 0x3D: opEqual, 0x3E: opUnequal, 0x3F: opNoDelegate, 0x41: opDebugInfo, 0x42: opDelegateCall,
	0x43: opDelegate, 0x44: opLet, 0x45: opConditional, 0x46: opFind, 0x47: opFindStruct, 0x49: opDefaultParm, 0x4A: opEmptyParm,
	0x4B: opInstanceDelegate, 0x4F: opStringRef, 0x50: opEmptyParm, 0x51: opInterfaceContext, 0x52: opInterfaceCast, 0x53: opEnd,
	0x54: opAdd, 0x55: opAddItem, 0x56: opRemoveItem, 0x57: opInsertItem, 0x58: opArrayIterator, 0x59: opSort, 0x5A: opFilter,
}

// meaning returns what a token means in the package's version.
func (o *classicOperands) meaning(token byte) operation {
	if token >= 0x60 {
		return opNative
	}
	switch op := common[token]; {
	case op != opUnknown:
		return op
	case o.ue3():
		return newer[token]
	case token == 0x15 && o.since(100):
		return opLine
	case token == 0x2B && !o.since(70):
		return opResize
	case token >= 0x39 && token <= 0x59 && !o.since(95):
		return opPlainCast
	}
	return older[token]
}

// cast names what a conversion makes.
func cast(kind byte) string {
	switch kind {
	case 0x39, 0x4D:
		return "vector"
	case 0x3A, 0x41, 0x44, 0x4A:
		return "int"
	case 0x3B, 0x3E, 0x45, 0x47, 0x48, 0x4B, 0x4F, 0x51, 0x38:
		return "bool"
	case 0x3C, 0x3F, 0x42, 0x4C:
		return "float"
	case 0x3D, 0x40, 0x43, 0x49:
		return "byte"
	case 0x36, 0x46: // from an interface to its object, and back
		return "interface"
	case 0x4E, 0x50:
		return "rotator"
	case 0x37, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A:
		return "string"
	case 0x60:
		return "name"
	}
	return ""
}
