package property

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pakdb/codecs/unreal"
)

// Errors about values that are to be written.
var (
	// ErrValue is wrapped by errors about texts that are no value of the type.
	ErrValue = errors.New("wrong value")
	// ErrRefused is wrapped by errors about values that this package does not write.
	ErrRefused = errors.New("not written")
)

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

func wrong(t *Type, text, want string) error {
	return fmt.Errorf("%w: %q is no %s: want %s", ErrValue, text, t, want)
}

// encoder appends values as the package stores them.
type encoder struct {
	d     *Decoder
	data  []byte // of the export
	l     *List
	order binary.ByteOrder
}

// value appends a value of a type. like is a node of that type which is stored the same
// way, -1 for none: the value itself, or another element. inside says that it is in a
// container.
func (w *encoder) value(dst []byte, t *Type, like int, inside bool, text string) ([]byte, error) {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 && !t.Kind.IsReference() {
		return nil, wrong(t, text, "UTF-8 without NUL")
	}
	if w.d.classic != nil {
		return w.oldValue(dst, t, like, text)
	}
	switch t.Kind {
	case Bool:
		return w.bool(dst, t, like, text)
	case Byte, Enum:
		return w.enum(dst, t, like, inside, text)
	case Int8, Int16, Int, Int64, UInt16, UInt32, UInt64, Float, Double:
		bits, err := parseNumber(t, t.Kind, text)
		if err != nil {
			return nil, err
		}
		return appendNumber(dst, t.Kind, bits, w.order), nil
	case Name:
		return w.name(dst, t, text)
	case Str, VerseStr:
		return unreal.AppendFString(dst, text), nil
	case Utf8Str, AnsiStr:
		return unreal.AppendUtf8String(dst, text), nil
	case Text:
		return w.text(dst, like, text)
	case Object, Class, WeakObject, Interface:
		return w.ref(dst, like, text)
	case LazyObject:
		return w.guid(dst, t, text)
	case SoftObject, SoftClass, AssetObject, AssetClass:
		return w.soft(dst, text)
	case Delegate:
		at := strings.LastIndexByte(text, '.')
		if at < 0 {
			return nil, wrong(t, text, "Object.Function")
		}
		dst, err := w.ref(dst, like, text[:at])
		if err != nil {
			return nil, err
		}
		return w.name(dst, t, text[at+1:])
	case Optional:
		if text == "null" { // "" is a text, and no value of a struct
			return w.u32(dst, 0), nil
		}
		return w.value(w.u32(dst, 1), t.Elem, -1, true, text)
	case Struct:
		switch strings.ToLower(t.Name) {
		case "guid":
			return w.guid(dst, t, text)
		case "softobjectpath", "softclasspath", "stringassetreference", "stringclassreference":
			if like < 0 || w.l.Nodes[like].Flags&Binary != 0 {
				return w.soft(dst, text)
			}
		}
		return nil, refuse("%s as a whole: set its fields", t)
	}
	return nil, refuse("%s as a whole: set, add or remove its elements", t)
}

func (w *encoder) u32(dst []byte, v uint32) []byte {
	return appendNumber(dst, UInt32, uint64(v), w.order)
}

func (w *encoder) bool(dst []byte, t *Type, like int, text string) ([]byte, error) {
	v, err := parseBool(t, text)
	if err != nil {
		return nil, err
	}
	if like >= 0 && w.l.Nodes[like].Size == 4 {
		return w.u32(dst, uint32(v)), nil
	}
	return append(dst, byte(v)), nil
}

func parseBool(t *Type, text string) (uint64, error) {
	switch strings.ToLower(text) {
	case "true", "1":
		return 1, nil
	case "false", "0":
		return 0, nil
	}
	return 0, wrong(t, text, "true or false")
}

// parseNumber returns the bits of a node that has this number. t is for messages.
func parseNumber(t *Type, k Kind, text string) (bits uint64, err error) {
	size := 8 * k.size()
	switch k {
	case Float, Double:
		f, err := strconv.ParseFloat(text, size)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%w: %s is out of range for %s", ErrValue, text, t)
		}
		if err != nil || strings.ContainsAny(text, "xX_") {
			return 0, wrong(t, text, "a number")
		}
		return math.Float64bits(f), nil
	case Byte, UInt16, UInt32, UInt64:
		bits, err = strconv.ParseUint(text, 10, size)
		if errors.Is(err, strconv.ErrRange) || err != nil && strings.HasPrefix(text, "-") {
			return 0, fmt.Errorf("%w: %s is out of range for %s: 0 to %d", ErrValue, text, t, uint64(math.MaxUint64)>>(64-size))
		}
	default:
		var i int64
		i, err = strconv.ParseInt(text, 10, size)
		bits = uint64(i)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%w: %s is out of range for %s: %d to %d", ErrValue, text, t, int64(-1)<<(size-1), int64(math.MaxInt64)>>(64-size))
		}
	}
	if err != nil {
		return 0, wrong(t, text, "an integer")
	}
	return bits, nil
}

// appendNumber appends a number that a node has as these bits.
func appendNumber(dst []byte, k Kind, bits uint64, order binary.ByteOrder) []byte {
	var b [8]byte
	if k == Float {
		bits = uint64(math.Float32bits(float32(math.Float64frombits(bits))))
	}
	switch k.size() {
	case 1:
		b[0] = byte(bits)
	case 2:
		order.PutUint16(b[:], uint16(bits))
	case 4:
		order.PutUint32(b[:], uint32(bits))
	default:
		order.PutUint64(b[:], bits)
	}
	return append(dst, b[:k.size()]...)
}

func (w *encoder) name(dst []byte, t *Type, text string) ([]byte, error) {
	if len(text) > maxNameLength {
		return nil, wrong(t, text[:32]+"...", fmt.Sprintf("at most %d bytes", maxNameLength))
	}
	n := w.d.nameFor(text)
	return w.u32(w.u32(dst, uint32(n.Index)), uint32(n.Number)), nil
}

// enum appends a byte or an enum, as readEnumValue reads it.
func (w *encoder) enum(dst []byte, t *Type, like int, inside bool, text string) ([]byte, error) {
	if w.d.ver.schemas && !inside && !(t.Kind == Byte && unnamedByte(t)) {
		k := Byte
		if t.Elem != nil {
			k = t.Elem.Kind
		}
		bits, err := w.member(t, k, text)
		if err != nil {
			return nil, err
		}
		return appendNumber(dst, k, bits, w.order), nil
	}
	asName := !unnamedByte(t) || t.Kind == Enum
	old := ""
	if like >= 0 {
		n := &w.l.Nodes[like]
		if old = n.Text; n.Size == 1 || n.Size == 8 {
			asName = n.Size == 8
		}
	}
	if !asName {
		bits, err := parseNumber(t, Byte, text)
		return append(dst, byte(bits)), err
	}
	full, err := w.qualified(t, text, old)
	if err != nil {
		return nil, err
	}
	return w.name(dst, t, full)
}

// qualified returns the name of a member as values have it: "EKind::Red", where it may be
// given as "Red".
func (w *encoder) qualified(t *Type, text, old string) (string, error) {
	e := w.d.schemas.Enum(t.Path, t.Name)
	if e != nil && len(e.Members) > 0 {
		for part := range strings.SplitSeq(text, " | ") {
			short := part
			if _, after, ok := strings.Cut(part, "::"); ok {
				short = after
			}
			if !slices.ContainsFunc(e.Members, func(m Member) bool { return bareMember(m.Name) == short }) {
				return "", unknownMember(e, text)
			}
		}
	}
	if enum, _, ok := strings.Cut(old, "::"); ok && !strings.Contains(text, "::") && text != "None" {
		return enum + "::" + text, nil
	}
	return text, nil
}

func bareMember(name string) string {
	if _, after, ok := strings.Cut(name, "::"); ok {
		return after
	}
	return name
}

// shownMembers is how many members a message lists.
const shownMembers = 24

func unknownMember(e *EnumSchema, text string) error {
	var names []string
	for _, m := range e.Members {
		if len(names) == shownMembers {
			names = append(names, fmt.Sprintf("and %d more", len(e.Members)-len(names)))
			break
		}
		names = append(names, bareMember(m.Name))
	}
	return fmt.Errorf("%w: %s has no member %q: it has %s", ErrValue, e.Name, text, strings.Join(names, ", "))
}

// member returns the number of a member that is given by its name or number, or of flags.
func (w *encoder) member(t *Type, k Kind, text string) (uint64, error) {
	e := w.d.schemas.Enum(t.Path, t.Name)
	if e != nil {
		all, found := uint64(0), true
		for part := range strings.SplitSeq(text, " | ") {
			i := slices.IndexFunc(e.Members, func(m Member) bool { return bareMember(m.Name) == bareMember(part) })
			if found = i >= 0; !found {
				break
			}
			all |= uint64(e.Members[i].Value)
		}
		if found {
			return all, nil
		}
	}
	bits, err := parseNumber(t, k, text)
	if err != nil && e != nil && len(e.Members) > 0 {
		return 0, unknownMember(e, text)
	}
	return bits, err
}

func (w *encoder) ref(dst []byte, like int, text string) ([]byte, error) {
	old := unreal.ObjectRef(0)
	if like >= 0 {
		old = unreal.ObjectRef(int32(w.l.Nodes[like].Int()))
	}
	r, err := w.d.refFor(text, old)
	if err != nil {
		return nil, err
	}
	return w.u32(dst, uint32(r)), nil
}

func (w *encoder) guid(dst []byte, t *Type, text string) ([]byte, error) {
	digits := strings.ReplaceAll(text, "-", "")
	if len(digits) != 32 {
		return nil, wrong(t, text, "32 hexadecimal digits")
	}
	for i := range 4 {
		v, err := strconv.ParseUint(digits[8*i:8*i+8], 16, 32)
		if err != nil {
			return nil, wrong(t, text, "32 hexadecimal digits")
		}
		dst = w.u32(dst, uint32(v))
	}
	return dst, nil
}

// soft appends the path of an object that is loaded on demand.
func (w *encoder) soft(dst []byte, text string) ([]byte, error) {
	v := &w.d.ver
	if v.ue4 < 514 {
		return unreal.AppendFString(dst, text), nil
	}
	asset, sub, _ := strings.Cut(text, ":")
	if asset == "None" {
		asset = ""
	}
	name := &Type{Kind: Name}
	switch {
	case v.ue5 >= 1008 && v.editor && len(w.d.soft) > 0:
		return w.u32(dst, uint32(w.d.softFor(asset, sub))), nil
	case v.ue5 >= 1007:
		pkg, object := splitAsset(asset)
		dst, err := w.name(dst, name, pkg)
		if err == nil {
			dst, err = w.name(dst, name, object)
		}
		if err != nil {
			return nil, err
		}
		if v.custom[FortniteMain] >= 192 {
			return unreal.AppendUtf8String(dst, sub), nil
		}
		return unreal.AppendFString(dst, sub), nil
	}
	dst, err := w.name(dst, name, asset)
	if err != nil {
		return nil, err
	}
	return unreal.AppendFString(dst, sub), nil
}

// Flag of texts that no translation replaces.
const textInvariant = 2

// text appends a text. One that is looked up keeps its namespace and key.
func (w *encoder) text(dst []byte, like int, text string) ([]byte, error) {
	v := &w.d.ver
	if like < 0 || w.l.Nodes[like].Size == 0 {
		switch {
		case v.ue4 < 368:
			return nil, refuse("a new text below UE4 368")
		case v.custom[Editor] >= 32:
			return w.invariant(w.u32(dst, textInvariant), text), nil
		}
		return unreal.AppendFString(append(w.u32(dst, 0), 0, 0, 0, 0, 0, 0, 0, 0, 0), text), nil
	}
	n := &w.l.Nodes[like]
	old := w.data[n.Offset : n.Offset+n.Size]
	if v.ue4 < 368 {
		from := w.l.Find(like, "Namespace", 0)
		if from < 0 {
			return nil, refuse("texts below UE4 226")
		}
		return append(unreal.AppendFString(dst, text), w.data[w.l.Nodes[from].Offset:n.Offset+n.Size]...), nil
	}
	switch int8(n.Bits >> 32) {
	case historyNone:
		if v.custom[Editor] < 32 {
			if text == "" {
				return append(dst, old...), nil
			}
			return unreal.AppendFString(append(append(dst, old[:4]...), 0, 0, 0, 0, 0, 0, 0, 0, 0), text), nil
		}
		return w.invariant(append(dst, old[:4]...), text), nil
	case historyBase:
		key := w.l.Find(like, "Key", 0)
		if key < 0 {
			return nil, refuse("a text without a key")
		}
		k := &w.l.Nodes[key]
		dst = unreal.AppendFString(append(dst, w.data[n.Offset:k.Offset+k.Size]...), text)
		if notes := w.l.Find(like, "DeveloperNotes", 0); notes >= 0 {
			dst = append(dst, w.data[w.l.Nodes[notes].Offset:n.Offset+n.Size]...)
		}
		return dst, nil
	}
	return nil, refuse("a text that is made of others (history %d)", int8(n.Bits>>32))
}

// invariant appends the history of a text without a key, after its flags.
func (w *encoder) invariant(dst []byte, text string) []byte {
	dst = append(dst, 0xFF)
	if text == "" {
		return w.u32(dst, 0)
	}
	return unreal.AppendFString(w.u32(dst, 1), text)
}
