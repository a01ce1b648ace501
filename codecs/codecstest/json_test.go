package codecstest_test

import (
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
)

func TestCheckJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":[{"a":2},{"a":3}],"c":{"a":"a","b":null}} [] 1`: "",
		`{"a":{},"b":[],"a":1}`:           `member "a" is repeated`,
		`[1,{"x":[{"y":1,"y":2}]}]`:       `member "y" is repeated`,
		`{"a":1,"\u0061":2}`:              `member "a" is repeated`,
		`{"a":"b","b":"a","c":["a","a"]}`: "",
		`{"a":1`:                          "EOF",
		`{"a":1,}`:                        "invalid",
	} {
		err := codecstest.CheckJSON(strings.NewReader(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
