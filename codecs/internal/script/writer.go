package script

import "strings"

// writer writes declarations and code, line by line.
type writer struct{ dst []byte }

func (w *writer) line(depth int, text string) {
	w.dst = append(append(append(w.dst, strings.Repeat("  ", depth)...), text...), '\n')
}

// gap writes an empty line in front of what comes next.
func (w *writer) gap() {
	if len(w.dst) > 0 {
		w.dst = append(w.dst, '\n')
	}
}

// group writes lines by themselves, if there are any.
func (w *writer) group(lines []string) {
	if len(lines) > 0 {
		w.gap()
	}
	for _, line := range lines {
		w.line(0, line)
	}
}
