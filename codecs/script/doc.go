// Package script holds what the code of all generations of the Unreal Engine has
// in common once it is disassembled: statements as text, and their normal form,
// which is equal exactly when the meaning is, as far as the bytes tell.
//
//	code.go      statements in the order of the file, as text with marks
//	function.go  a function: what it calls, refers to and says
//	names.go     names and objects as text
//	normal.go    the order of the flow; labels and temporaries
//	render.go    the text, and its digest
//
// The rooms below it read the two instruction sets: kismet that of UE4 and UE5,
// unrealscript that of UE1 to UE3. FORMAT.md has the rules of the text.
package script
