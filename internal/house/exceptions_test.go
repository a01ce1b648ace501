package house_test

// exceptions are the types and packages beyond a limit, with what they have today,
// lines rounded up to the next hundred. A figure here may only shrink: the test fails
// when its subject has grown or shrunk, and when it needs no exception any more. What
// is new gets no line here.
var exceptions = map[string]map[string]int{}
