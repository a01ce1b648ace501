package query

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

func parseNamed(name, text string) (*Named, error) {
	q := &Named{Name: name, SQL: text}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxQueryFile)
	for lines.Scan() {
		comment, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "--")
		if !ok {
			break
		}
		if err := q.header(strings.TrimSpace(comment)); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for _, p := range q.Params {
		known[p.Name] = true
	}
	for _, s := range Split(text) {
		names, _ := parameters(s.SQL)
		for _, n := range names {
			if !known[n] {
				known[n] = true
				q.Params = append(q.Params, Param{Name: n, Type: "text", Default: "-"})
			}
		}
	}
	return q, lines.Err()
}

func (q *Named) header(line string) error {
	key, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	switch key {
	case "doc":
		q.Doc = rest
	case "example":
		q.Example = append(q.Example, rest)
	case "bytes":
		for _, name := range strings.Split(rest, ",") {
			q.Bytes = append(q.Bytes, strings.TrimSpace(name))
		}
	case "param":
		p, err := parseParam(rest)
		if err != nil {
			return err
		}
		q.Params = append(q.Params, p)
	}
	return nil
}

func parseParam(s string) (p Param, err error) {
	p.Name, s, _ = strings.Cut(s, " ")
	p.Type, s, _ = strings.Cut(strings.TrimSpace(s), " ")
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "'") {
		_, end := literal(s, 0, quoted)
		p.Default, p.Doc = s[:end], strings.TrimSpace(s[end:])
	} else {
		p.Default, p.Doc, _ = strings.Cut(s, " ")
	}
	switch p.Type {
	case "text", "integer", "number", "build":
	default:
		return p, fmt.Errorf("param %s: no type %q: text, integer, number or build", p.Name, p.Type)
	}
	if p.Default == "" {
		return p, fmt.Errorf("param %s: no default; write - for none", p.Name)
	}
	return p, nil
}

// Takes reports whether q has a parameter of that name.
func (q *Named) Takes(param string) bool {
	return slices.ContainsFunc(q.Params, func(p Param) bool { return p.Name == param })
}

// Usage returns the line that calls q: "pakdb query @history PATH".
func (q *Named) Usage() string {
	var b strings.Builder
	b.WriteString("pakdb query @" + q.Name)
	for _, p := range q.Params {
		if p.Default == "-" {
			b.WriteString(" " + strings.ToUpper(p.Name))
			continue
		}
		b.WriteString(" [" + strings.ToUpper(p.Name) + "]")
	}
	return b.String()
}

// Help returns what there is to know of q, in lines.
func (q *Named) Help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", q.Doc, q.Usage())
	if len(q.Params) > 0 {
		b.WriteString("\nParameters, in this order or with -p name=value:\n")
	}
	for _, p := range q.Params {
		fmt.Fprintf(&b, "  %-10s %-8s %s", p.Name, p.Type, p.Doc)
		if p.Default != "-" {
			fmt.Fprintf(&b, " (default %s)", p.Default)
		}
		b.WriteByte('\n')
	}
	if len(q.Example) > 0 {
		b.WriteString("\nExamples:\n  " + strings.Join(q.Example, "\n  ") + "\n")
	}
	b.WriteString("\nSQL")
	if q.File != "" {
		fmt.Fprintf(&b, " from %s", q.File)
	}
	b.WriteString(":\n")
	b.WriteString(strings.TrimRight(q.SQL, "\n") + "\n")
	return b.String()
}
