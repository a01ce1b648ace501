// Package script disassembles the code of all generations of Unreal Engine: statements
// as text, and their normal form, which is equal exactly when the meaning is, as far
// as the bytes show.
//
//	code.go      statements in the order of the file, as text with marks
//	forms.go     what tokens of both instruction sets have, and how that is shown
//	function.go  a function: what it calls, refers to and says
//	names.go     names and objects as text
//	normal.go    the order of the flow; labels and temporaries
//	render.go    the text, and its digest
//
// [Kismet] reads the instructions of UE4 and UE5, [Classic] those of UE1 to UE3. FORMAT.md has the rules of the text.
//
// # UE4 and UE5
//
// [Kismet] disassembles the bytecode of blueprints: UE4.10 to UE6.0.
//
//	kismet_package.go       the functions of a package, and their events
//	kismet_layout.go        what differs between engines
//	kismet_header.go        the data before and after the script of an export
//	kismet_field.go         the parameters and variables of a function (4.25+)
//	kismet_class.go         the variables and interfaces of a class (4.25+)
//	kismet_statement.go     statements
//	kismet_expression.go    expressions
//	kismet_operands.go      what they are made of, counted on disk and in memory
//
// [AppendKismet] (kismet_text.go) writes classes with variables, functions with signatures,
// and events, as people do.
//
// A function is accepted when its script ends at its last byte, has the size in
// memory that the file states, and its export ends after it; else it is opaque.
// KISMET.md has the layout.
//
// # UE1 to UE3
//
// [Classic] disassembles the code of UE1 to UE3: functions, states,
// classes and structs.
//
//	classic_package.go      the code of a package, and its layout
//	classic_header.go       the data before and after a script
//	classic_class.go        the data of a class after its script; where its defaults begin
//	classic_native.go       numbers of native functions: what declares them, and those that all games have
//	classic_token.go        statements
//	classic_meaning.go      what tokens mean, by generation
//	classic_expression.go   expressions: variables, constants, casts
//	classic_call.go         calls, and what is done to arrays
//	classic_operands.go     what they are made of, counted on disk and in memory
//
// Below version 639 a script does not state its size on disk: it ends where its
// size in memory is reached. What follows must end where the export does, or the
// code is opaque. CLASSIC.md has the layout.
//
// [AppendClassic] writes whole classes as people do, from a second pass over the tokens:
//
//	classic_field.go     properties, constants and enums, as they are declared
//	classic_source.go    what a package declares: functions, types, members of enums
//	classic_written.go   expressions: operators between operands, Super, class'X'.static
//	classic_operator.go  how calls of a function are written; precedence
//	classic_enum.go      enums of the Engine package
//	classic_text.go      classes, signatures, states
//
// # Code as people write it
//
// [AppendSource] shows code of the Unreal Engine as people write it: blocks in
// place of jumps, and compiler-made variables that are used once where they are used.
//
// It is made when somebody looks, and never stored or compared: a better version of it
// changes nothing that was written.
//
//	decompile.go  the text of a function; what keeps its normal form
//	graph.go      statements that are shown, and where each leads: stacks resolved
//	order.go      dominators and loops
//	tree.go       blocks: if, loop, switch; else goto
//	inline.go     variables into the statements that use them
//	shape.go      while, for each, early returns
//	operators.go  calls of libraries as operators; short names
//	print.go      the text
package script
