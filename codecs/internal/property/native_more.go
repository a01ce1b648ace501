package property

import (
	"fmt"
	"strings"
)

// readRare reads structs of sequences, particles, meshes and graphs. False says that
// the struct is a list in this version.
func readRare(p *parser, name string) bool {
	switch name {
	case "MovieSceneEventParameters":
		readEventParameters(p)
	case "MovieSceneFloatChannel":
		return readChannel(p, typeFloat)
	case "MovieSceneDoubleChannel":
		return readChannel(p, typeDouble)
	case "MovieSceneEvaluationFieldEntityTree":
		readTree(p, 8)
	case "MovieSceneTrackFieldData":
		readTree(p, 4)
	case "MovieSceneSubSequenceTree":
		readTree(p, 5)
	case "MovieSceneEvalTemplatePtr", "MovieSceneTrackImplementationPtr", "MovieSceneSequenceInstanceDataPtr":
		readPointer(p)
	case "MovieSceneTimeWarpVariant":
		readTimeWarp(p)
	case "NiagaraVariableBase", "NiagaraVariable", "NiagaraVariableWithOffset":
		readNiagara(p, name)
	case "EdGraphPinType":
		return readPinType(p)
	case "SkeletalMeshSamplingLODBuiltData":
		readSampling(p)
	case "NameCurveKey":
		p.field("Time", typeFloat)
		p.field("Value", typeName)
	case "StringCurveKey":
		p.field("Time", typeFloat)
		p.field("Value", typeStr)
	case "RigVMPropertyBag":
		readEmptyBag(p)
	case "ClothLODData", "ClothLODDataCommon":
		readCloth(p, name)
	case "SectionEvaluationDataTree":
		readBranches(p)
		data := p.d.structOf("/Script/MovieScene", "SectionEvaluationData")
		items := p.add("Items", p.d.types.of(Array, nil, data))
		if n := p.count(8); p.ok() {
			readElements(p, items, data, n)
			p.close(items)
		}
	default:
		return false
	}
	return true
}

func readEventParameters(p *parser) {
	if p.v.custom[Release] < 8 {
		p.field("StructType", typeObject)
	} else {
		p.field("StructType", typeSoft)
	}
	p.bytes("StructBytes", p.count(1))
}

// readChannel reads a curve of a sequence.
func readChannel(p *parser, t *Type) bool {
	if p.v.custom[Sequencer] < 12 && p.v.custom[FortniteMain] < 53 {
		return false
	}
	p.field("PreInfinityExtrap", typeByte)
	p.field("PostInfinityExtrap", typeByte)
	if p.in.I32() != 4 {
		p.fail(errTag)
	}
	times := p.add("Times", p.d.types.of(Array, nil, typeInt))
	if !p.ok() {
		return true
	}
	readElements(p, times, typeInt, p.count(4))
	p.close(times)
	readChannelValues(p, t)
	p.field("DefaultValue", t)
	p.wideBool("bHasDefaultValue")
	p.field("TickNumerator", typeInt)
	p.field("TickDenominator", typeInt)
	if p.v.custom[FortniteMain] >= 53 {
		p.wideBool("bShowCurve")
	}
	return true
}

// channelValues reads the keys of a curve: number, tangents, modes.
func readChannelValues(p *parser, t *Type) {
	size := int(p.in.I32())
	if least := t.Kind.size(); size < least || size > 128 {
		p.fail(errTag)
		return
	}
	n := p.count(size)
	list := p.add("Values", p.d.types.of(Array, nil, typeStruct))
	for range n {
		if !p.ok() {
			return
		}
		key := p.add("", typeStruct)
		p.field("Value", t)
		rest := size - t.Kind.size()
		if rest >= 16 {
			for _, name := range []string{"ArriveTangent", "LeaveTangent", "ArriveTangentWeight", "LeaveTangentWeight"} {
				p.field(name, typeFloat)
			}
			rest -= 16
		}
		if rest >= 3 {
			for _, name := range []string{"TangentWeightMode", "InterpMode", "TangentMode"} {
				p.field(name, typeByte)
			}
			rest -= 3
		}
		p.in.Skip(rest) // padding
		p.close(key)
	}
	p.close(list)
}

// readTree reads a tree of ranges with items of some bytes each.
func readTree(p *parser, item int) {
	readBranches(p)
	p.bytes("Items", item*p.count(item))
}

// readBranches reads what a tree of ranges has in front of its items.
func readBranches(p *parser) {
	const node, entry = 26, 12
	p.bytes("RootNode", node)
	p.bytes("ChildEntries", entry*p.count(entry))
	p.bytes("Children", node*p.count(node))
	p.bytes("DataEntries", entry*p.count(entry))
}

// readEmptyBag reads a bag of values: whether it has any, the properties that it declares,
// and the bytes of their list. How a property is declared is not known.
func readEmptyBag(p *parser) {
	if !p.b32() {
		return
	}
	if n := p.count(1); n > 0 {
		p.fail(fmt.Errorf("%w: a bag of %d properties", errKind, n))
	}
	size := p.count(1)
	if !p.ok() {
		return
	}
	outer := p.enter(size)
	if p.v.schemas {
		readUnversioned(p, nil)
	} else {
		readTagged(p, "", "")
	}
	if p.ok() && p.in.Len() > 0 {
		p.fail(errRest)
	}
	if p.ok() {
		p.leave(outer, size)
	}
}

// readCloth reads a level of detail of cloth: a list, and how its vertices move from and to
// those of the neighbours.
func readCloth(p *parser, name string) {
	const vertex = 64 // three vectors of f32, four u16, f32 weight, u32
	readList(p, "", name)
	for _, field := range []string{"TransitionUpSkinData", "TransitionDownSkinData"} {
		p.bytes(field, vertex*p.count(vertex))
	}
}

// readPointer reads a struct that is named by its path, if there is one.
func readPointer(p *parser) {
	name := p.str()
	if name == "" || !p.ok() {
		return
	}
	i := strings.LastIndexByte(name, '.')
	t := p.d.structOf(name[:max(i, 0)], name[i+1:])
	at := len(p.l.Nodes)
	if p.add("", t) != at {
		return
	}
	readList(p, t.Path, t.Name)
	p.close(at)
}

func readTimeWarp(p *parser) {
	if p.wideBool("bLiteral") {
		p.field("Literal", typeDouble)
		return
	}
	p.fail(errKind)
}

// readNiagara reads a variable of a particle system: name, type, and a value or an
// offset. Versions that store a plain list are noticed by the end.
func readNiagara(p *parser, name string) {
	p.field("Name", typeName)
	at := len(p.l.Nodes)
	if p.add("TypeDefHandle", p.d.structOf("/Script/Niagara", "NiagaraTypeDefinition")) != at {
		return
	}
	readList(p, "/Script/Niagara", "NiagaraTypeDefinition")
	p.close(at)
	switch name {
	case "NiagaraVariable":
		p.bytes("VarData", p.count(1))
	case "NiagaraVariableWithOffset":
		p.field("Offset", typeInt)
	}
}

// readPinType reads the type of a pin of a blueprint's graph.
func readPinType(p *parser) bool {
	v := p.v
	if v.ue4 < 324 {
		return false
	}
	readPinNames(p)
	if v.custom[Framework] >= 26 {
		container := p.in.U8()
		p.leaf("ContainerType", typeByte, uint64(container), "")
		if container > 3 {
			p.fail(errTag)
		}
		if container == 3 {
			readPinValueType(p)
		}
	} else {
		if v.custom[Blueprints] >= 6 { // UE 4.14
			if p.wideBool("bIsMap") {
				readPinValueType(p)
			}
			p.wideBool("bIsSet")
		}
		p.wideBool("bIsArray")
	}
	p.wideBool("bIsReference")
	p.wideBool("bIsWeakPointer")
	member := p.add("PinSubCategoryMemberReference", typeStruct)
	p.field("MemberParent", typeObject)
	p.field("MemberName", typeName)
	p.field("MemberGuid", typeGUID)
	p.close(member)
	if v.ue4 >= 456 {
		p.wideBool("bIsConst")
	}
	if v.custom[Release] >= 32 {
		p.wideBool("bIsUObjectWrapper")
	}
	if v.editor && v.custom[UE5Release] >= 36 {
		p.wideBool("bSerializeAsSinglePrecisionFloat")
	}
	return true
}

// readPinValueType reads the type of the values of a map.
func readPinValueType(p *parser) {
	terminal := p.add("PinValueType", typeStruct)
	readPinNames(p)
	for _, name := range []string{"bTerminalIsConst", "bTerminalIsWeakPointer", "bTerminalIsUObjectWrapper"} {
		p.wideBool(name)
	}
	p.close(terminal)
}

func readPinNames(p *parser) {
	t := typeStr
	if p.v.custom[Framework] >= 31 {
		t = typeName
	}
	p.field("PinCategory", t)
	p.field("PinSubCategory", t)
	p.field("PinSubCategoryObject", typeObject)
}

func readSampling(p *parser) {
	for _, f := range []struct {
		name string
		t    *Type
	}{{"Prob", typeFloat}, {"Alias", typeInt}} {
		i := p.add(f.name, p.d.types.of(Array, nil, f.t))
		if !p.ok() {
			return
		}
		readElements(p, i, f.t, p.count(4))
		p.close(i)
	}
	p.field("TotalWeight", typeFloat)
}
