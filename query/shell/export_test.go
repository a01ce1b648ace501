package shell

import "context"

// Complete returns what may be appended to a line.
func Complete(c Config, line string) (rest []string) {
	k := &completer{shell: &shell{Config: c, out: c.Out}, ctx: context.Background()}
	found, _ := k.Do([]rune(line), len([]rune(line)))
	for _, r := range found {
		rest = append(rest, string(r))
	}
	return rest
}
