// Package decompile shows code of the Unreal Engine as people write it: blocks in
// place of jumps, and compiler-made variables that are used once where they are used.
//
// It stands on the normal form ([script.Form]), is made when somebody looks, and never
// stored or compared: a better version of it changes nothing that was written.
//
//	decompile.go  the text of a function; what keeps its normal form
//	graph.go      statements that are shown, and where each leads: stacks resolved
//	order.go      dominators and loops
//	tree.go       blocks: if, loop, switch; else goto
//	inline.go     variables into the statements that use them
//	shape.go      while, for each, early returns
//	operators.go  calls of libraries as operators; short names
//	print.go      the text
package decompile
