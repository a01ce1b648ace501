package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// ellipsis is what a shortened text has in place of what was left out.
const ellipsis = "…"

// LeastWidth is how many cells a column of texts keeps: less says nothing.
const LeastWidth = 12

// Width returns how many cells s takes: two of most East Asian characters, none of a
// combining mark. Control characters must have been replaced.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return displaywidth.String(s)
		}
	}
	return len(s) // nearly all text is plain
}

// Fit makes widths add up to at most total: the widest columns shrink first, and
// none below its least. It reports false, and changes nothing, if they cannot.
func Fit(total int, widths, least []int) bool {
	if sum(widths) <= total {
		return true
	}
	if sum(least) > total {
		return false
	}
	low, high := 0, slices.Max(widths) // columns of width low fit, those of high do not
	for low+1 < high {
		if level := (low + high) / 2; sum(levelled(widths, least, level)) <= total {
			low = level
		} else {
			high = level
		}
	}
	fitted := levelled(widths, least, low)
	rest := total - sum(fitted) // fewer cells than there are columns of width low
	for i := range fitted {
		if rest > 0 && fitted[i] == low && low < widths[i] {
			fitted[i]++
			rest--
		}
	}
	copy(widths, fitted)
	return true
}

// levelled returns widths of at most level, but none below its least.
func levelled(widths, least []int, level int) []int {
	all := make([]int, len(widths))
	for i, w := range widths {
		all[i] = max(min(w, level), least[i])
	}
	return all
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// Shorten returns s in at most n cells. A path loses its middle and keeps its
// name, as long as there is room for it; other texts lose their end.
func Shorten(s string, n int) string {
	if len(s) <= n || Width(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	slash := strings.LastIndexAny(s, `/\`)
	if slash < 0 || n < LeastWidth {
		return ShortenEnd(s, n)
	}
	end := (n - 1) * 2 / 3
	if name := Width(s[slash:]); name < n {
		end = max(name, (n-1)/2)
	}
	tail := last(s, end)
	return first(s, n-1-Width(tail)) + ellipsis + tail
}

// ShortenEnd returns s in at most n cells: it loses its end, whatever it is.
func ShortenEnd(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	return first(s, n-1) + ellipsis
}

// first returns the leading characters of s that take at most n cells.
func first(s string, n int) string {
	all := displaywidth.StringGraphemes(s)
	end := 0
	for all.Next() {
		if n -= all.Width(); n < 0 {
			break
		}
		end += len(all.Value())
	}
	return s[:end]
}

// maxCharacter is how many bytes of a text are looked at for a character of its
// end. Some have more, in theory.
const maxCharacter = 32

// last returns the final characters of s that take at most n cells.
func last(s string, n int) string {
	s = s[max(0, len(s)-maxCharacter*n):]
	over := Width(s) - n
	all := displaywidth.StringGraphemes(s)
	start := 0
	for over > 0 && all.Next() {
		over -= all.Width()
		start += len(all.Value())
	}
	return strings.TrimLeftFunc(s[start:], func(r rune) bool { return displaywidth.Rune(r) == 0 })
}

// leastWrapped is how narrow text may become beside what it is indented by.
const leastWrapped = 15

// Wrap returns text in lines of at most width cells that begin after indent cells, the
// first of which are there already. A word that is longer stays whole. width 0: one
// line.
func Wrap(text string, width, indent int) string {
	if width < indent+leastWrapped {
		return text
	}
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := Width(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Pad returns s in exactly width cells: shortened, or with spaces after it.
func Pad(s string, width int) string {
	s = Shorten(s, width)
	return s + strings.Repeat(" ", max(width-Width(s), 0))
}

// Printable returns s with escapes for what would break a line, or command a terminal:
// names in archives are anyone's.
func Printable(s string) string { return Escape(s, "") }

// PrintableLines is Printable for messages, which may have several lines.
func PrintableLines(s string) string { return Escape(s, "\n") }

// Escape is Printable but for the characters to keep.
func Escape(s, keep string) string {
	var b strings.Builder
	written := 0 // bytes of s
	for i := 0; i < len(s); {
		if ' ' <= s[i] && s[i] <= '~' { // as nearly all are
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && n == 1
		if broken || !strconv.IsGraphic(r) && !strings.ContainsRune(keep, r) {
			q := strconv.QuoteRuneToASCII(r)
			if q = q[1 : len(q)-1]; broken {
				q = fmt.Sprintf(`\x%02x`, s[i])
			}
			b.WriteString(s[written:i] + q)
			written = i + n
		}
		i += n
	}
	return b.String() + s[written:]
}
