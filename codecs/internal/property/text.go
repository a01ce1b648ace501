package property

// The histories of a text: how it came about.
const (
	historyNone = iota - 1
	historyBase
	historyNamed
	historyOrdered
	historyArguments
	historyNumber
	historyPercent
	historyCurrency
	historyDate
	historyTime
	historyDateTime
	historyTransform
	historyTable
	historyGenerator
)

// readText reads an FText into node i: the flags and the history become its Bits, the
// source text its Text, and what the history has its children.
func readText(p *parser, i int) {
	if p.v.ue4 < 368 {
		readOldText(p, i)
		return
	}
	flags, history := p.in.U32(), int8(p.in.U8())
	p.l.Nodes[i].Bits = uint64(flags) | uint64(uint8(history))<<32
	switch history {
	case historyNone:
		if p.v.custom[Editor] >= 32 && p.b32() {
			p.l.Nodes[i].Text = p.str()
		}
	case historyBase:
		p.field("Namespace", typeStr)
		p.field("Key", typeStr)
		p.l.Nodes[i].Text = p.str()
		if p.v.editor && p.v.custom[FortniteMain] >= 260 {
			p.field("DeveloperNotes", typeStr)
		}
	case historyNamed:
		p.field("Format", typeText)
		readArguments(p, false)
	case historyOrdered:
		p.field("Format", typeText)
		list := p.add("Arguments", typeArray)
		for range p.count(5) {
			readFormatValue(p, "", false)
		}
		p.close(list)
	case historyArguments:
		p.field("Format", typeText)
		readArguments(p, true)
	case historyNumber, historyPercent, historyCurrency:
		readNumberText(p, history)
	case historyDate, historyTime, historyDateTime:
		readDateText(p, history)
	case historyTransform:
		p.field("SourceText", typeText)
		p.field("TransformType", typeByte)
	case historyTable:
		p.field("TableId", typeName)
		p.field("Key", typeStr)
	default:
		p.fail(errKind)
	}
}

// readOldText reads the form below UE4 368.
func readOldText(p *parser, i int) {
	p.l.Nodes[i].Text = p.str()
	if p.v.ue4 >= 226 {
		p.field("Namespace", typeStr)
		p.field("Key", typeStr)
	}
	p.l.Nodes[i].Bits = uint64(p.in.U32())
}

// readArguments reads the names and values that a format has. own says that they are
// those of a history that has its own form of values.
func readArguments(p *parser, own bool) {
	m := p.add("Arguments", typeMap)
	for range p.count(5) {
		p.element(typeStr)
		readFormatValue(p, "", own)
	}
	p.close(m)
}

// readFormatValue reads i8 type and a value of it.
func readFormatValue(p *parser, name string, own bool) {
	if !p.ok() {
		return
	}
	if own && p.v.custom[Editor] < 5 {
		p.field(name, typeText)
		return
	}
	switch p.in.U8() {
	case 0:
		if own && p.v.custom[UE5Release] < 12 {
			p.field(name, typeInt)
		} else {
			p.field(name, typeInt64)
		}
	case 1:
		p.field(name, typeUInt64)
	case 2:
		p.field(name, typeFloat)
	case 3:
		p.field(name, typeDouble)
	case 4:
		p.field(name, typeText)
	case 5:
		p.field(name, typeByte) // gender
	default:
		p.fail(errKind)
	}
}

// readNumberText reads a number as it is shown: options of digits and a culture.
func readNumberText(p *parser, history int8) {
	if history == historyCurrency && p.v.ue4 >= 389 {
		p.field("CurrencyCode", typeStr)
	}
	readFormatValue(p, "SourceValue", false)
	if p.b32() {
		o := p.add("FormatOptions", typeStruct)
		if p.v.custom[Editor] >= 21 {
			p.wideBool("AlwaysSign")
		}
		p.wideBool("UseGrouping")
		p.field("RoundingMode", typeByte)
		for _, name := range []string{"MinimumIntegralDigits", "MaximumIntegralDigits", "MinimumFractionalDigits", "MaximumFractionalDigits"} {
			p.field(name, typeInt)
		}
		p.close(o)
	}
	p.field("TargetCulture", typeStr)
}

// readDateText reads a date, a time, or both: ticks, styles, zone and culture.
func readDateText(p *parser, history int8) {
	p.field("SourceDateTime", typeInt64)
	switch history {
	case historyDate:
		p.field("DateStyle", typeByte)
	case historyTime:
		p.field("TimeStyle", typeByte)
	default:
		p.field("DateStyle", typeByte)
		p.field("TimeStyle", typeByte)
	}
	if history != historyDate || p.v.ue4 >= 422 {
		p.field("TimeZone", typeStr)
	}
	p.field("TargetCulture", typeStr)
}
