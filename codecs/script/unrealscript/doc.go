// Package unrealscript disassembles the code of UE1 to UE3: functions, states,
// classes and structs.
//
//	package.go     the code of a package, and its layout
//	header.go      what stands in front of a script, and behind it
//	class.go       what a class has behind its script; where its defaults begin
//	native.go      numbers of native functions, and what declares them
//	common.go      those that all games have
//	token.go       statements
//	meaning.go     what tokens mean, by generation
//	expression.go  expressions: variables, constants, casts
//	call.go        calls, and what is done to arrays
//	operands.go    what they are made of, counted on disk and in memory
//
// Below version 639 a script does not state its size on disk: it ends where its
// size in memory is reached. What follows must end where the export does, or the
// code is opaque. FORMAT.md has the layout.
package unrealscript
