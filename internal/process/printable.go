package process

import (
	"strconv"
	"strings"
)

// Printable is a message without what commands terminals: it may have names out of
// archives, patches and stores, which are anyone's.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !strconv.IsGraphic(r) {
			return '?'
		}
		return r
	}, text)
}
