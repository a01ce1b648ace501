package script

import (
	"regexp"
	"strings"
)

// signs are the operators of functions of Engine's libraries, by what their
// names begin with.
var signs = map[string]string{
	"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Percent": "%",
	"Less": "<", "LessEqual": "<=", "Greater": ">", "GreaterEqual": ">=", "EqualEqual": "==", "NotEqual": "!=",
	"BooleanAND": "&&", "BooleanOR": "||", "Concat": "+",
}

// operators writes calls of libraries as operators, in parentheses, and other functions
// of the program by class and name.
func operators(text string) string {
	var b strings.Builder
	from := 0
	s := scanner{text: text}
	for s.next() {
		if s.at < from || s.at > 0 && !strings.ContainsRune(" (,[{!=", rune(text[s.at-1])) {
			continue
		}
		name := head(text[s.at:])
		if name == "" {
			continue
		}
		b.WriteString(text[from:s.at])
		from = s.at + len(name)
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			name = name[dot+1:]
		}
		if args, end := split(text[from:]); end > 0 {
			if expression, ok := operator(name, args); ok {
				b.WriteString(expression)
				from += end
				s.at = from - 1
				continue
			}
		}
		b.WriteString(name)
	}
	b.WriteString(text[from:])
	return b.String()
}

// library is the object of a class by which blueprints call the functions of a library.
var library = regexp.MustCompile(`^/[\w/]+\.Default__(\w+)\.`)

// bound writes delegates by the function that is bound, calls on objects without the class
// that declares the function, and those of libraries of blueprints by the class alone.
func bound(text string) string {
	var b strings.Builder
	from := 0
	s := scanner{text: text}
	for s.next() {
		switch {
		case s.at < from:
		case s.c == 'd' && strings.HasPrefix(text[s.at:], "delegate(") && (s.at == 0 || !isWord(text[s.at-1])):
			args, end := split(text[s.at+len("delegate"):])
			if len(args) != 2 {
				break
			}
			b.WriteString(text[from:s.at])
			if args[0] != "self" {
				b.WriteString(args[0] + ".")
			}
			b.WriteString(args[1])
			from = s.at + len("delegate") + end
		case s.c == '/':
			if found := library.FindStringSubmatch(text[s.at:]); found != nil {
				b.WriteString(text[from:s.at] + found[1] + ":")
				from = s.at + len(found[0])
			}
		case s.c == ':':
			if dot := memberAt(text[:s.at]); dot >= from {
				b.WriteString(text[from : dot+1])
				from = s.at + 1
			}
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// memberAt returns where the dot is that a text ends with, before the name of a class, if an
// object is in front of it; -1 for a path, or anything else.
func memberAt(text string) int {
	end := len(text)
	for end > 0 && isWord(text[end-1]) {
		end--
	}
	if end < 2 || end == len(text) || text[end-1] != '.' || !isWord(text[end-2]) && text[end-2] != ')' && text[end-2] != ']' {
		return -1
	}
	for i := end - 1; i > 0 && (isWord(text[i-1]) || text[i-1] == '.' || text[i-1] == '/'); i-- {
		if text[i-1] == '/' {
			return -1
		}
	}
	return end - 1
}

// head returns the function of the program whose call a text begins with; "" for none.
func head(text string) string {
	if i := strings.IndexAny(text, "(), ]}"); strings.HasPrefix(text, "/Script/") && i > 0 && text[i] == '(' {
		return text[:i]
	}
	return ""
}

// split returns the arguments of a call after its name, and where it ends; 0 for none.
func split(text string) (args []string, end int) {
	depth, from := 0, 1
	s := scanner{text: text}
	for s.next() {
		switch s.c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return append(args, text[from:s.at]), s.at + 1
			}
		case ',':
			if depth == 1 {
				args = append(args, text[from:s.at])
				from = min(s.at+2, len(text)) // and the blank
			}
		}
	}
	return nil, 0
}

// operator writes a function of two arguments, or of one, as an expression.
func operator(name string, args []string) (string, bool) {
	class, fn, ok := strings.Cut(name, ":")
	if !ok || class != "KismetMathLibrary" && class != "KismetStringLibrary" {
		return "", false
	}
	fn, _, _ = strings.Cut(fn, "_")
	if fn == "Not" && len(args) == 1 && class == "KismetMathLibrary" && strings.HasSuffix(name, "_PreBool") {
		return "!" + operators(args[0]), true
	}
	sign, ok := signs[fn]
	if !ok || len(args) != 2 {
		return "", false
	}
	return "(" + operators(args[0]) + " " + sign + " " + operators(args[1]) + ")", true
}
