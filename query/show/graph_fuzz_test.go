package show_test

import (
	"fmt"
	"testing"

	"pakdb/query/show"
)

// FuzzParseID: an id that is read is read the same from each way of writing it.
func FuzzParseID(f *testing.F) {
	for _, text := range []string{"0", "-1", "18446744073709551615", "0xff", "00000000deadbeef", "0X", "+1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, ok := show.ParseID(text)
		if !ok {
			return
		}
		for _, form := range []string{"%d", "0x%x"} {
			v := any(id)
			if form == "0x%x" {
				v = uint64(id)
			}
			if again, ok := show.ParseID(fmt.Sprintf(form, v)); !ok || again != id {
				t.Errorf("%q is %d, and written as %s %d", text, id, form, again)
			}
		}
	})
}
