package property

import (
	"fmt"
	"strings"
	"sync"

	"pakdb/codecs"
)

// native is how a struct's own serializer writes it.
type native struct {
	layout *layout // of structs of nothing but numbers; nil: see readNative
	name   string
	tagged bool // read only where a tag says where it ends: it is not known, or not from files without tags
}

// decode reads the struct as the children of node i. It returns false when the package
// stores the struct as a list.
func (n *native) decode(p *parser, i int) bool {
	if n.tagged && p.v.schemas {
		p.fail(fmt.Errorf("%w: the serializer of struct %s is not known", errKind, n.name))
		return true
	}
	if n.layout == nil {
		return readNative(p, i, n.name)
	}
	at := int(p.in.Off())
	p.in.Skip(n.layout.size(p.v.wide))
	if p.ok() && p.spend(len(n.layout.fields)) {
		first := len(p.l.Nodes)
		p.l.appendLayout(n.layout, at)
		for k := first; k < len(p.l.Nodes); k++ {
			if p.l.Nodes[k].Kind == Bool && p.l.Nodes[k].Bits > 1 {
				p.fail(errBool)
			}
		}
	}
	return true
}

// nativeNamed returns how a struct is written, nil for a list.
func nativeNamed(name string) *native { return natives()[strings.ToLower(name)] }

// natives are the structs that have a serializer of their own, by their names in lower
// case: mappings spell names as the game's process met them first. Source: FORMAT.md.
var natives = sync.OnceValue(func() map[string]*native {
	all := map[string]*native{}
	for name, l := range layouts() {
		all[strings.ToLower(name)] = &native{layout: l}
	}
	for _, name := range []string{
		"Guid", "SoftObjectPath", "SoftClassPath", "StringAssetReference", "StringClassReference", "GameplayTagContainer",
		"PerPlatformFloat", "PerPlatformInt", "PerPlatformBool", "PerPlatformFrameRate", "PerQualityLevelFloat",
		"PerQualityLevelInt", "SmartName", "ExpressionInput", "MaterialAttributesInput", "ScalarMaterialInput",
		"VectorMaterialInput", "Vector2MaterialInput", "ColorMaterialInput", "FontData", "LevelSequenceObjectReferenceMap",
		"MovieSceneEventParameters", "MovieSceneFloatChannel", "MovieSceneDoubleChannel",
		"MovieSceneEvaluationFieldEntityTree", "MovieSceneTrackFieldData", "MovieSceneSubSequenceTree", "MovieSceneTimeWarpVariant", "MovieSceneEvalTemplatePtr",
		"MovieSceneTrackImplementationPtr", "MovieSceneSequenceInstanceDataPtr", "InstancedStruct",
		"NiagaraVariableBase", "NiagaraVariable", "NiagaraVariableWithOffset", "EdGraphPinType", "KeyHandleMap",
		"SkeletalMeshSamplingLODBuiltData", "NameCurveKey", "RigVMPropertyBag",
	} {
		all[strings.ToLower(name)] = &native{name: name}
	}
	for name := range strings.FieldsSeq("ClothLODData ClothLODDataCommon SectionEvaluationDataTree StringCurveKey " + unread) {
		all[strings.ToLower(name)] = &native{name: name, tagged: true}
	}
	return all
})

// unread are structs that the engine, or a game, writes by serializers that are not known
// here. A tag says where such a struct ends, and it may be a list after all. Without tags it
// is opaque: as a list its bytes would be values of whatever they fit.
const unread = `AnimMontageContainer AnimationAttributeIdentifier AttributeCurve CacheEventTrack CapsuleShape ClothTetherData
	ConnectivityCube ControlRigOverrideContainer DataCacheDuplicatedObjectData DistanceQuantity EveryPlatformFloat
	EveryPlatformInt FWPerkContextFloatMapping FixedPoint ForceQuantity FortActorRecord GameplayEffectApplicationDataHandle
	GameplayEffectFloatMapping GameplayEventFunction HavokAIAnyArray InstancedOverridablePropertyBag InstancedPropertyBag
	InstancedStructContainer LegoGraphPartInstance MassQuantity MaterialOverrideNanite MercunaUsageSpec MovieSceneDoubleValue
	MovieSceneFloatValue MovieSceneSubSectionFieldData NavAgentSelector NiagaraDataChannelVariable NiagaraUserParameterModifier
	PCGDataPtrWrapper PCGPointArray PMBoundFloatMapping PMTimelineFloatMapping PMTimelineObjectBindingDef
	PMTimelineSectionEventFloatMapping PMTimelineSectionFloatMapping ParamRegistryInfo PerPlatformERigLogicCalculationType
	PerPlatformFString PowerQuantity R5CollisionApproximation R5SoftAssetPath RawAnimSequenceTrack RsBitfield_HeroBufferFlags
	RsBitfield_HeroLoadoutFlags RsBitfield_HeroUpgradeFlags RsBitfield_NavPermissionFlags RsBitfield_NavState
	RsBitfield_UINavigationInput RsBitfield_WorldMapLODLevel RsBitfield_WorldMapWidgetFilterType SOS_GDValue
	SceneFaceDefSeamline SkeletalMeshSamplingRegionBuiltData SoundAttenuationPluginSettingsWithOverride Spline
	SwBitfield_TargetRotatorMask TLJsonVector TLJsonVector2D TedMarkerHandle TimeUnit TslSomeSKStruct TypedParameter
	UniqueNetIdRepl VAL_CharacterCustomizationVariantOptionsArray VGCoverDataPoint Vector_NetQuantize Vector_NetQuantize10
	Vector_NetQuantize100 Vector_NetQuantizeNormal VinInstancedPropertyBag VolumeQuantity VoyageFloat16
	WorldConditionQueryDefinition ZeroSizeProperty`

// readNative reads a struct of those that are not only numbers into node i. False says
// that it is a list in this version, and nothing was read.
func readNative(p *parser, i int, name string) bool {
	switch name {
	case "Guid":
		p.l.Nodes[i].Text = p.guid()
	case "SoftObjectPath", "SoftClassPath", "StringAssetReference", "StringClassReference":
		readSoftPath(p, i)
	case "GameplayTagContainer":
		for range p.countOf(i, 8) {
			p.element(typeName)
		}
	case "PerPlatformFloat":
		readPerPlatform(p, typeFloat)
	case "PerPlatformInt":
		readPerPlatform(p, typeInt)
	case "PerPlatformBool":
		readPerPlatform(p, typeBool)
	case "PerPlatformFrameRate":
		readPerPlatform(p, typeFrameRate)
	case "PerQualityLevelFloat":
		readPerQuality(p, typeFloat)
	case "PerQualityLevelInt":
		readPerQuality(p, typeInt)
	case "SmartName":
		readSmartName(p)
	case "ExpressionInput", "MaterialAttributesInput", "ScalarMaterialInput", "VectorMaterialInput", "Vector2MaterialInput", "ColorMaterialInput":
		return readMaterialInput(p, name)
	case "FontData":
		return readFontData(p)
	case "LevelSequenceObjectReferenceMap":
		readReferenceMap(p)
	case "InstancedStruct":
		readInstanced(p, i)
	case "KeyHandleMap": // has no bytes
	default:
		return readRare(p, name)
	}
	return true
}

// readPerPlatform reads a value that platforms override.
func readPerPlatform(p *parser, t *Type) {
	cooked := p.b32()
	readPlatformValue(p, "Default", t)
	if cooked || !p.v.editor && p.v.engine < 508 {
		return
	}
	m := p.add("PerPlatform", typeMap)
	for range p.count(12) {
		p.element(typeName)
		readPlatformValue(p, "", t)
	}
	p.close(m)
}

func readPlatformValue(p *parser, name string, t *Type) {
	switch {
	case t.Kind == Struct:
		i := p.add(name, typeFrameRate)
		p.field("Numerator", typeInt)
		p.field("Denominator", typeInt)
		p.close(i)
	case t.Kind == Bool:
		p.wideBool(name)
	default:
		p.field(name, t)
	}
}

var typeFrameRate = &Type{Kind: Struct, Name: "FrameRate"}

// readPerQuality reads a value that quality levels override.
func readPerQuality(p *parser, t *Type) {
	p.b32()
	p.field("Default", t)
	m := p.add("PerQuality", typeMap)
	for range p.count(8) {
		p.element(typeInt)
		p.element(t)
	}
	p.close(m)
}

func readSmartName(p *parser) {
	p.field("DisplayName", typeName)
	if p.v.custom[AnimPhys] < 5 {
		p.field("UID", typeUInt16)
	}
	if p.v.editor && p.v.custom[AnimPhys] < 10 {
		p.field("Guid", typeGUID)
	}
}

// expressionInput reads what all inputs of materials have in front.
func expressionInput(p *parser) {
	v := p.v
	if v.engine >= 501 || v.editor {
		p.field("Expression", typeObject)
	}
	p.field("OutputIndex", typeInt)
	if v.custom[Framework] < 31 {
		p.field("InputName", typeStr)
	} else {
		p.field("InputName", typeName)
	}
	for _, name := range []string{"Mask", "MaskR", "MaskG", "MaskB", "MaskA"} {
		p.field(name, typeInt)
	}
	if v.engine < 502 && !v.editor {
		p.field("ExpressionName", typeName)
	}
}

// readMaterialInput reads an input of a material, most with a constant.
func readMaterialInput(p *parser, name string) bool {
	if p.v.custom[Core] < 1 {
		return false
	}
	expressionInput(p)
	var constant *Type
	switch name {
	case "ScalarMaterialInput":
		constant = typeFloat
	case "VectorMaterialInput":
		constant = structNamed("Vector3f")
	case "Vector2MaterialInput":
		constant = structNamed("Vector2f")
	case "ColorMaterialInput":
		if constant = structNamed("Color"); p.v.custom[FortniteMain] >= 171 {
			constant = structNamed("LinearColor")
		}
	default:
		return true
	}
	p.wideBool("UseConstant")
	p.field("Constant", constant)
	return true
}

// structNamed returns the type of a struct by name alone.
func structNamed(name string) *Type { return NewType(Struct, name, "", nil, nil) }

func readFontData(p *parser) bool {
	if p.v.custom[Editor] < 9 {
		return false
	}
	if !p.wideBool("bIsCooked") {
		return true
	}
	face := p.ref()
	p.leaf("FontFaceAsset", typeObject, uint64(int64(face)), "")
	if face == 0 {
		p.field("FontFilename", typeStr)
		p.field("Hinting", typeByte)
		p.field("LoadingPolicy", typeByte)
	}
	if p.v.engine >= 420 {
		p.field("SubFaceIndex", typeInt)
	}
	return true
}

func readReferenceMap(p *parser) {
	m := p.add("Map", typeMap)
	for range p.count(36) {
		p.element(typeGUID)
		s := p.add("", typeStruct)
		p.field("ObjectId", typeGUID)
		p.field("ObjectPath", typeStr)
		p.close(s)
	}
	p.close(m)
}

// readInstanced reads a struct that names its own type, and its size.
func readInstanced(p *parser, i int) {
	if p.v.custom[InstancedStruct] < 0 {
		if p.in.Len() >= 5 && p.l.order.Uint32(p.data[p.in.Off():]) == 0xABABABAB {
			p.in.Skip(5)
		}
	}
	ref := p.ref()
	sizeAt := int32(p.in.Off())
	size := p.in.CheckCount(int64(p.in.I32()), 1)
	p.l.Nodes[i].Bits = uint64(int64(ref))
	if !p.ok() || ref == 0 && size == 0 {
		return
	}
	if ref == 0 {
		p.fail(codecs.Errorf(codecs.ErrCorrupt, "%d bytes of no struct", size))
		return
	}
	path, name := p.d.Declared(ref)
	at := len(p.l.Nodes)
	if p.add("", p.d.structOf(path, name)) != at {
		return
	}
	p.values++
	p.l.placeOf(at).size = sizeAt
	outer := p.enter(size)
	first := p.mark()
	if err := attempt(p, at, true); err != nil {
		p.back(first)
		makeOpaque(p, at, size, err)
	}
	p.leave(outer, size)
	if p.work < 0 {
		p.fail(errWork)
	}
}
