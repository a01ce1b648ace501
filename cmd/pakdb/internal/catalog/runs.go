package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// runs writes labels of builds for people, in the order of all: builds of which each follows the
// one before are V7..V9 (3).
func runs(labels, all []string) string {
	var list []string
	for at := 0; at < len(all); at++ {
		from := at
		for at < len(all) && slices.Contains(labels, all[at]) {
			at++
		}
		if n := at - from; n > 2 {
			list = append(list, fmt.Sprintf("%s..%s (%d)", all[from], all[at-1], n))
		} else {
			list = append(list, all[from:at]...)
		}
	}
	return strings.Join(list, ", ")
}
