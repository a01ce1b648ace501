package rows_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/umod"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/rows"
)

// lexer cuts UnrealScript into words: names in lower case, numbers by value, objects by
// class and last name.
type lexer struct{ words []string }

func lex(text string) []string {
	var l lexer
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c <= ' ':
			i++
		case strings.HasPrefix(text[i:], "//") || c == '#':
			i += cut(text[i:], "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i += cut(text[i:], "*/")
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(text) && text[end] != c {
				if c == '"' && text[end] == '\\' {
					end++
				}
				end++
			}
			l.literal(text[i:min(end+1, len(text))])
			i = end + 1
		case isName(c):
			end := i
			for end < len(text) && (isName(text[end]) || text[end] == '.' && '0' <= c && c <= '9') {
				end++
			}
			l.words = append(l.words, number(strings.ToLower(text[i:end])))
			i = end
		default:
			n := 1
			for _, sign := range []string{">>>", "**", "++", "--", "==", "!=", "<=", ">=", "~=", "&&", "||", "^^", "+=", "-=", "*=", "/=", "$=", "@=", "<<", ">>"} {
				if strings.HasPrefix(text[i:], sign) {
					n = len(sign)
					break
				}
			}
			l.words = append(l.words, text[i:i+n])
			i += n
		}
	}
	return l.words
}

func cut(text, end string) int {
	if at := strings.Index(text, end); at >= 0 {
		return at + len(end)
	}
	return len(text)
}

func isName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// literal adds a string, a name, or the object after its class.
func (l *lexer) literal(text string) {
	if text[0] == '"' {
		l.words = append(l.words, text)
		return
	}
	text = strings.ToLower(text)
	last := len(l.words) - 1
	if last >= 0 && isName(l.words[last][0]) && l.words[last] != "case" && l.words[last] != "return" {
		l.words[last] += "'" + text[max(strings.LastIndexByte(text, '.'), 0)+1:]
		return
	}
	if text == "''" {
		text = "'none'"
	}
	l.words = append(l.words, text)
}

func number(word string) string {
	if v, err := strconv.ParseInt(word, 0, 64); err == nil {
		return strconv.FormatInt(v, 10)
	}
	if v, err := strconv.ParseFloat(strings.TrimSuffix(word, "f"), 64); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return word
}

// function is one as a source has it.
type function struct {
	head string   // words of its declaration
	body []string // statements, and the blocks around them
}

// parser reads statements out of words.
type parser struct {
	words []string
	at    int
	lines []string
}

func (p *parser) peek() string {
	if p.at < len(p.words) {
		return p.words[p.at]
	}
	return ""
}

func (p *parser) next() string {
	word := p.peek()
	p.at++
	return word
}

// until returns the words in front of one of the ends outside of brackets, and passes it.
func (p *parser) until(ends ...string) []string {
	from, depth := p.at, 0
	for p.at < len(p.words) {
		word := p.next()
		if depth == 0 && slices.Contains(ends, word) {
			return p.words[from : p.at-1]
		}
		switch word {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return p.words[from:]
}

// functions reads a source: each function with a body, by the state and its name.
func functions(text string) map[string]function {
	p := &parser{words: lex(text)}
	p.constants()
	found := map[string]function{}
	p.declarations("", found)
	return found
}

// constants puts the values of constants, which code does not name, in place of them.
func (p *parser) constants() {
	values := map[string]string{}
	for i := range len(p.words) - 4 {
		if p.words[i] == "const" && p.words[i+2] == "=" {
			values[p.words[i+1]] = p.words[i+3]
		}
	}
	for i, w := range p.words {
		if v, ok := values[w]; ok && p.words[i-1] != "const" {
			p.words[i] = v
		}
	}
}

func (p *parser) declarations(state string, found map[string]function) {
	for p.at < len(p.words) && p.peek() != "}" {
		from := p.at
		switch p.peek() {
		case "class", "var", "const", "enum", "ignores":
			p.until(";")
			continue
		case "struct", "replication", "defaultproperties":
			p.until("{")
			p.until("}")
			if p.peek() == ";" {
				p.at++
			}
			continue
		}
		for p.at < len(p.words) && !slices.Contains([]string{"{", "(", ";", ":"}, p.peek()) {
			p.at++
		}
		if p.peek() == "(" && slices.Contains(p.words[from:p.at], "operator") {
			p.until(")")
			for p.peek() != "(" {
				p.at++
			}
		}
		words := p.words[from:p.at]
		switch {
		case slices.Contains(words, "state"):
			name := words[slices.Index(words, "state")+1]
			p.until("{")
			p.declarations(name+".", found)
			p.at++
		case p.peek() != "(": // the code of the state
			p.at = from
			p.block()
			p.lines = nil
		default:
			p.at++
			head := slices.Concat(words, []string{"("}, p.until(")"))
			name := words[len(words)-1]
			p.lines = nil
			if p.next() == "{" { // without a body it is as one that does nothing
				p.block()
				p.at++
			}
			found[state+name] = function{heading(head), p.lines}
			p.lines = nil
		}
	}
}

// heading returns a declaration with its modifiers in order. Functions are public unless
// they say otherwise; what is private is final.
func heading(words []string) string {
	at := slices.Index(words, "(")
	modifiers := slices.DeleteFunc(slices.Clone(words[:at-1]), func(w string) bool { return w == "public" || w == "final" })
	slices.Sort(modifiers)
	return strings.Join(slices.Concat(modifiers, words[at-1:]), " ")
}

// block reads statements up to the end of a block.
func (p *parser) block() {
	for p.at < len(p.words) && p.peek() != "}" {
		p.statement()
	}
}

func (p *parser) inner() {
	p.lines = append(p.lines, "{")
	if p.peek() == "{" {
		p.at++
		p.block()
		p.at++
	} else {
		p.statement()
	}
	p.lines = append(p.lines, "}")
}

func (p *parser) statement() {
	switch word := p.next(); word {
	case ";":
	case "{":
		p.block()
		p.at++
	case "local", "const":
		p.until(";")
	case "if", "while", "switch":
		p.at++
		p.emit(word, p.until(")"))
		p.inner()
		if word == "if" && p.peek() == "else" {
			p.at++
			p.lines = append(p.lines, "else")
			p.inner()
		}
	case "do":
		p.lines = append(p.lines, "do")
		p.inner()
		p.at += 2
		p.emit("until", p.until(")"))
	case "for":
		p.at++
		init, cond, step := p.until(";"), p.until(";"), p.until(")")
		p.emit("", init)
		p.emit("for", cond)
		p.inner()
		p.emit("", step)
	case "foreach":
		from := p.at
		for depth := 0; p.at < len(p.words); {
			word := p.next()
			if word == "(" {
				depth++
			} else if word == ")" {
				if depth--; depth == 0 && p.peek() != "." {
					break
				}
			}
		}
		p.emit("foreach", p.words[from:p.at])
		p.inner()
	case "case", "default":
		if word == "case" || p.peek() == ":" {
			p.emit(word, p.until(":"))
			return
		}
		fallthrough
	default:
		if p.peek() == ":" {
			p.at++
			p.lines = append(p.lines, "label")
			return
		}
		p.at--
		p.emit("", p.until(";"))
	}
}

// emit adds a statement: without brackets, casts, and what stands for nothing.
func (p *parser) emit(kind string, words []string) {
	var kept []string
	for i, w := range words {
		switch w {
		case "(", ")":
			continue
		case "int", "float", "byte", "bool", "string", "button", "name", "vector", "rotator":
			if i+1 < len(words) && words[i+1] == "(" {
				continue
			}
		}
		if inner, ok := strings.CutPrefix(w, "__"); ok {
			w = strings.TrimSuffix(inner, "__delegate")
		}
		kept = append(kept, w)
	}
	p.lines = append(p.lines, strings.TrimSpace(kind+" "+strings.Join(kept, " ")))
}

// loose returns what a function does, whatever blocks it is written in.
func loose(lines []string) []string {
	var list []string
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "if", "while", "for", "until":
			line = "test " + strings.TrimPrefix(rest, "! ")
		case "{", "}", "else", "do", "break", "continue", "label", "goto", "case", "default":
			continue
		case "return":
			if rest == "" {
				continue
			}
		}
		for _, unary := range []string{"++", "--"} {
			if name, ok := strings.CutPrefix(line, unary+" "); ok {
				line = name + " " + unary
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// sources returns the sources in a package, by their classes.
func sources(t *testing.T, p *scripttest.Package) map[string]string {
	t.Helper()
	found := map[string]string{}
	for i := range p.Exports {
		if p.ClassOf(i) != "TextBuffer" {
			continue
		}
		data, err := p.Data(i)
		if err != nil {
			t.Fatal(err)
		}
		r := unreal.NewOldReader(p.Facts(), data)
		if r.Version >= unreal.VerNetIndex {
			r.In.Skip(4)
		}
		r.SkipList()
		r.In.Skip(8)
		found[p.Facts().ObjectOf(p.Facts().OuterOf(unreal.ObjectRef(i+1)))] = r.FString()
		if r.In.Err() != nil {
			t.Fatal(r.In.Err())
		}
	}
	return found
}

// classesOf cuts the text of a package into its classes.
func classesOf(text string) map[string]string {
	found := map[string]string{}
	for class := range strings.SplitSeq("\n"+text, "\nclass ") {
		if name := strings.FieldsFunc(class, func(r rune) bool { return r == ' ' || r == ';' }); len(name) > 0 {
			found[name[0]] = "class " + class
		}
	}
	return found
}

// TestSourceTruth compares the code of packages with the source that they carry, function by
// function and statement by statement.
func TestSourceTruth(t *testing.T) {
	var list []*scripttest.Package
	for _, name := range []string{"TestUC1.u", "TestUC2.u", "TestUC3.u", "HeadExplo_v120_28.u", "ServerAdverts_v512.u", "Rx_Mutator_InfiniteAmmo_v868.u"} {
		list = append(list, scripttest.File(t, codecstest.Sample(t, "unreal-package", name)))
	}
	a := codecstest.Open(t, umod.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "unreal-package", "DropStuff.umod")), &codecs.Options{})
	for name, b := range codecstest.Contents(t, a) {
		if strings.HasSuffix(name, ".u") {
			list = append(list, scripttest.Load(t, "DropStuff.u", b, nil))
		}
	}
	var all, equal, other, different, heads int
	for _, p := range list {
		text, err := (&rows.Package{PackageFacts: p.Facts(), Bytes: p.Data}).Code()
		if err != nil {
			t.Fatal(err)
		}
		shown := classesOf(string(text))
		for class, source := range sources(t, p) {
			got := functions(shown[class])
			for name, want := range functions(source) {
				g, ok := got[name]
				all++
				if g.head == want.head {
					heads++
				} else {
					t.Logf("%s %s.%s:\n got %s\nwant %s", p.Name, class, name, g.head, want.head)
				}
				switch {
				case ok && slices.Equal(g.body, want.body):
					equal++
				case ok && slices.Equal(loose(g.body), loose(want.body)):
					other++
					t.Logf("%s %s.%s, in other form:\n%s", p.Name, class, name, strings.Join(g.body, "\n"))
				default:
					different++
					t.Logf("%s %s.%s differs:\n%s\n\nsource:\n%s", p.Name, class, name, strings.Join(g.body, "\n"), strings.Join(want.body, "\n"))
				}
			}
		}
	}
	counts := fmt.Sprintf("%d packages, %d functions: %d equal, %d equal in other form, %d different; %d declarations equal", len(list), all, equal, other, different, heads)
	t.Log(counts)
	if all < 60 || equal < 50 || different > 1 { // an enum that numbers an element
		t.Error(counts)
	}
}

// TestDefaults: variables, structs in structs and default values of a class.
func TestDefaults(t *testing.T) {
	p := scripttest.File(t, codecstest.Sample(t, "unreal-package", "TestUC2.u"))
	text, err := (&rows.Package{PackageFacts: p.Facts(), Bytes: p.Data}).Code()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"class DefaultProperties extends DefaultPropertiesBase;\n\nenum EEnum { EEnum1, EEnum2, EEnum3 };\n\nstruct sStruct {\n  struct sStruct2 {\n    var byte Byte;\n  };\n",
		"var class<DefaultProperties> MetaClass;\nvar byte ByteFixedArray[2];\n",
		"  NameProperty='Name'\n", "  MetaClass=class'DefaultProperties'\n  ByteFixedArray(0)=1\n  IntFixedArray(0)=1\n  IntFixedArray(1)=2\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestBlueprintEvents: events have their names and parameters, functions their types.
func TestBlueprintEvents(t *testing.T) {
	p := scripttest.File(t, codecstest.Sample(t, "unreal-properties", "uassetapi", "BP_ThirdPersonCharacter.uasset"))
	text, err := (&rows.Package{PackageFacts: p.Facts(), Bytes: p.Data}).Code()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"class BP_ThirdPersonCharacter_C extends Character\n// variables: opaque: its list of properties: ",
		"function Aim(float X Axis, double Y Axis) {\n  self.AddControllerYawInput(X Axis)\n",
		"event Primary Thumbstick(Vector2D Axis) {\n  KismetMathLibrary:BreakVector2D(Axis, ",
		"(InputActionValue ActionValue, float ElapsedTime, float TriggeredTime, InputAction SourceAction) {\n" +
			"  EnhancedInputLibrary:Conv_InputActionValueToBool(ActionValue)\n  goto Touch Jump Start\n}\n",
		"event Touch Jump Start() {\n  self.Jump()\n}\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, hidden := range []string{"ExecuteUbergraph", "ubergraph ", "frame."} {
		if strings.Contains(string(text), hidden) {
			t.Errorf("%q is left", hidden)
		}
	}
}
