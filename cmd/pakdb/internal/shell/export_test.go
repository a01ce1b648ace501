package shell

import "context"

// Complete returns what may be appended to a line.
func Complete(c Config, line string) (rest []string) {
	k := &completer{shell: &shell{Config: c, out: c.Out}, ctx: context.Background()}
	head, words, _ := k.complete(line, len([]rune(line)))
	for _, word := range words {
		rest = append(rest, (head + word)[len(line):])
	}
	return rest
}

// CompleteAt is what the editor asks at a place within a line.
func CompleteAt(c Config, line string, pos int) (head string, words []string, tail string) {
	k := &completer{shell: &shell{Config: c, out: c.Out}, ctx: context.Background()}
	return k.complete(line, pos)
}

// KeepHistory appends lines to the file of past input, and PastInput reads it.
func KeepHistory(c Config, lines []string) error { return (&shell{Config: c}).keepHistory(lines) }

// PastInput returns the lines of the file of past input.
func PastInput(c Config) []string { return (&shell{Config: c}).pastInput(context.Background()) }
