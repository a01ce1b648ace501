package house_test

// exceptions are the types and packages beyond a limit, with what they have today,
// lines rounded up to the next hundred. A figure here may only shrink: the test fails
// when its subject has grown or shrunk, and when it needs no exception any more. What
// is new gets no line here.
var exceptions = map[string]map[string]int{
	"methods of a type": {
		"diff.Result":    48,
		"schema.Build":   32,
		"schema.batchTx": 38,
	},
	"files with methods of a type": {
		"diff.Result":    11,
		"diff.matcher":   6,
		"query.DB":       6,
		"schema.batchTx": 12,
		"diff.Result":                  48,
		"diff/pkdelta/maker.fileMaker": 65,
	},
	"files with methods of a type": {
		"diff.Result":                  11,
		"diff.matcher":                 6,
		"diff/pkdelta/maker.fileMaker": 10,
		"query.DB":                     6,
	},
	"names usable unqualified in a method": {
		"diff.Result": 68,
	},
	"files of a package": {
		"diff":   40,
		"schema": 45,
	},
	"lines of a package": {
		"diff":   5900,
		"schema": 6000,
		"cmd/pakdb": 54,
		"diff":      40,
	},
	"lines of a package": {
		"cmd/pakdb": 6800,
		"diff":      5900,
	},
}
