package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is how many bytes of a word are indexed and compared.
const maxWord = 64

// Words returns the words of a text: runs of letters and digits in lower case, without
// accents. A name such as UltronBoss has its parts as well. Scripts without spaces
// between words yield each pair of neighbours, and the last character alone.
func Words(text string) []string {
	var all []string
	EachWord(text, func(word string, _ bool) { all = append(all, word) })
	return all
}

// EachWord calls yield for each of the words of a text. part reports a part of the word
// that came before.
func EachWord(text string, yield func(word string, part bool)) {
	start := -1
	for i, r := range text {
		if r < utf8.RuneSelf {
			switch {
			case isAlphanumeric(byte(r)):
				if start < 0 {
					start = i
				}
			case start >= 0:
				eachPart(text[start:i], yield)
				start = -1
			}
			continue
		}
		switch {
		case isIdeographic(r):
			if start >= 0 {
				eachPart(text[start:i], yield)
				start = -1
			}
			pair := text[i : i+utf8.RuneLen(r)]
			if next, n := utf8.DecodeRuneInString(text[i+len(pair):]); isIdeographic(next) {
				pair = text[i : i+len(pair)+n]
			}
			yield(pair, false)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		case start >= 0:
			eachPart(text[start:i], yield)
			start = -1
		}
	}
	if start >= 0 {
		eachPart(text[start:], yield)
	}
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// eachPart yields a word, and its parts if there are several.
func eachPart(word string, yield func(string, bool)) {
	yield(folded(word), false)
	if isPlain(word) {
		return
	}
	var before rune
	start, parts := 0, 0
	part := func(end int) {
		if end-start > 1 && !isNumber(word[start:end]) {
			yield(folded(word[start:end]), true)
		}
		start = end
		parts++
	}
	for i, r := range word {
		next, _ := utf8.DecodeRuneInString(word[i+utf8.RuneLen(r):])
		switch {
		case i == 0:
		case unicode.IsDigit(r) != unicode.IsDigit(before),
			unicode.IsUpper(r) && unicode.IsLower(before),
			unicode.IsUpper(r) && unicode.IsUpper(before) && unicode.IsLower(next):
			part(i)
		}
		before = r
	}
	if parts > 0 {
		part(len(word))
	}
}

// isPlain reports a word of small letters, as most are, of which the first may be a
// capital: it has no parts.
func isPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// isIdeographic reports a character of a script that has no spaces between words.
func isIdeographic(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// accented are letters with accents, after the letter that they are found as.
var accented = func() map[rune]rune {
	all := map[rune]rune{}
	for _, group := range []string{"aàáâãäåāăąǎ", "cçćĉċč", "dďđ", "eèéêëēĕėęě", "gĝğġģ", "hĥħ", "iìíîïĩīĭįı", "jĵ", "kķ", "lĺļľł",
		"nñńņň", "oòóôõöøōŏőǒ", "rŕŗř", "sśŝşšș", "tţťŧț", "uùúûüũūŭůűųǔ", "wŵ", "yýÿŷ", "zźżž", "еёѐ", "иѝй", "αά", "εέ", "ηή", "ιίϊ", "οό", "υύϋ", "ωώ", "σς"} {
		base, n := utf8.DecodeRuneInString(group)
		for _, r := range group[n:] {
			all[r] = base
		}
	}
	return all
}()

// folded returns the start of a word in lower case, without accents.
func folded(word string) string {
	if len(word) > maxWord {
		end := maxWord
		for !utf8.RuneStart(word[end]) {
			end--
		}
		word = word[:end]
	}
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return strings.Map(func(r rune) rune {
				if r >= utf8.RuneSelf && unicode.IsMark(r) {
					return -1
				}
				r = unicode.ToLower(r)
				if base, ok := accented[r]; ok {
					return base
				}
				return r
			}, word)
		}
	}
	return word
}

// Separator is between the texts of a block.
const Separator = "\x1f"

// Index returns the words of the texts of a block, each once, as the full-text table takes
// them. Texts that are a long number in hexadecimal digits and nothing else have none: each
// is a word of its own, and the key of its text finds it.
func Index(texts string) string {
	seen := make(map[string]struct{}, 256)
	var b strings.Builder
	b.Grow(len(texts))
	for text := range strings.SplitSeq(texts, Separator) {
		if isLongHex(text) {
			continue
		}
		EachWord(text, func(word string, _ bool) {
			n := len(seen)
			if seen[word] = struct{}{}; len(seen) > n && word != "" {
				b.WriteString(word)
				b.WriteByte(' ')
			}
		})
	}
	return b.String()
}

// isLongHex reports a number of 24 digits or more, as keys of texts are.
func isLongHex(text string) bool {
	return len(text) >= 24 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}
