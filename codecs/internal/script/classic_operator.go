package script

import "strings"

// callForm is how a call is written.
type callForm uint8

const (
	namedCall callForm = iota // F(A, B)
	prefixCall
	postfixCall
	infixCall
)

// notation is how calls of one function are written.
type notation struct {
	name       string
	form       callForm
	precedence int // of an infixCall: the lower, the tighter
}

// Precedence of what is no function.
const (
	equalPrecedence   = 24
	unequalPrecedence = 26
	choicePrecedence  = 1 << 8
)

// precedences are those that Core declares for its operators, in all generations.
var precedences = map[string]int{
	"**": 12, "*": 16, "/": 16, "cross": 16, "dot": 16, "%": 18, "+": 20, "-": 20, "<<": 22, ">>": 22, ">>>": 22,
	"<": 24, ">": 24, "<=": 24, ">=": 24, "==": 24, "~=": 24, "clockwisefrom": 24, "!=": 26, "&": 28, "^": 28, "|": 28,
	"&&": 30, "^^": 30, "||": 32, "*=": 34, "/=": 34, "+=": 34, "-=": 34, "$": 40, "@": 40, "$=": 44, "@=": 44, "-@": 45,
}

// unary are the common native functions that are operators of one operand.
var unary = map[int]callForm{
	129: prefixCall, 137: prefixCall, 138: prefixCall, 139: postfixCall, 140: postfixCall, 141: prefixCall, 143: prefixCall,
	163: prefixCall, 164: prefixCall, 165: postfixCall, 166: postfixCall, 169: prefixCall, 211: prefixCall,
}

// infix returns the notation of an operator between its operands.
func infix(name string) notation {
	p, ok := precedences[strings.ToLower(name)]
	if !ok {
		p = choicePrecedence - 1
	}
	return notation{name, infixCall, p}
}

// commonNotation returns how calls of a native function are written that its number alone
// names.
func commonNotation(number int, name string) notation {
	form, one := unary[number]
	_, operator := precedences[strings.ToLower(name)]
	switch {
	case one:
		return notation{name: name, form: form}
	case operator:
		return infix(name)
	}
	return notation{name: name}
}

// notation returns how calls of a function that was read are written; operands is how many
// it has.
func (o *ClassicObject) notation(operands int) notation {
	name := o.Friendly
	if name == "" || o.Flags&(flagOperator|flagPreOperator) == 0 {
		return notation{name: o.name}
	}
	switch {
	case o.Flags&flagPreOperator != 0:
		return notation{name: name, form: prefixCall}
	case operands == 1:
		return notation{name: name, form: postfixCall}
	}
	return notation{name, infixCall, o.Precedence}
}

// mangled are the words that names of functions have for the signs of operators.
var mangled = []struct{ word, sign string }{
	{"Add", "+"}, {"Subtract", "-"}, {"Multiply", "*"}, {"Divide", "/"}, {"Percent", "%"}, {"Less", "<"}, {"Greater", ">"},
	{"Equal", "="}, {"Not", "!"}, {"And", "&"}, {"Or", "|"}, {"Xor", "^"}, {"Complement", "~"}, {"Concat", "$"}, {"At", "@"}, {"Backslash", "\\"},
}

// operandTypes are the words that such names have for types.
var operandTypes = []string{"Interface", "Delegate", "Rotator", "Vector2D", "Vector4", "Vector", "Object", "Color", "LinearColor", "Matrix",
	"Plane", "Float", "Class", "Bool", "Byte", "Name", "Quat", "Int", "Str"}

// mangledNotation returns how calls of an operator of another package are written, by its
// name: "AddAdd_PreInt" is ++A, "Dot_VectorVector" is A dot B.
func mangledNotation(name string) (notation, bool) {
	head, types, ok := strings.Cut(name, "_")
	if !ok || head == "" {
		return notation{}, false
	}
	types, pre := strings.CutPrefix(types, "Pre")
	operands := 0
	for types != "" {
		rest := types
		for _, t := range operandTypes {
			if r, ok := strings.CutPrefix(types, t); ok {
				rest = r
				break
			}
		}
		if rest == types {
			return notation{}, false
		}
		types = rest
		operands++
	}
	sign := signOf(head)
	switch {
	case operands == 1 && pre && sign != "":
		return notation{name: sign, form: prefixCall}, true
	case operands == 1 && sign != "":
		return notation{name: sign, form: postfixCall}, true
	case operands == 2 && sign != "":
		return infix(sign), true
	case operands == 2: // a word
		return infix(strings.ToLower(head)), true
	}
	return notation{}, false
}

// signOf returns the sign of words, "" for none.
func signOf(words string) string {
	var sign strings.Builder
next:
	for words != "" {
		for _, m := range mangled {
			if rest, ok := strings.CutPrefix(words, m.word); ok {
				sign.WriteString(m.sign)
				words = rest
				continue next
			}
		}
		return ""
	}
	return sign.String()
}
