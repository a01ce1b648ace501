package property_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// fname is a name of the table: None, A, Red.
type fname int32

// enc returns the hex digits of values as files have them: numbers by their type, a bool in
// four bytes, a text as FString.
func enc(values ...any) string {
	var b []byte
	le := binary.LittleEndian
	for _, v := range values {
		switch v := v.(type) {
		case float32:
			b = le.AppendUint32(b, math.Float32bits(v))
		case float64:
			b = le.AppendUint64(b, math.Float64bits(v))
		case uint8:
			b = append(b, v)
		case uint16:
			b = le.AppendUint16(b, v)
		case int32:
			b = le.AppendUint32(b, uint32(v))
		case uint32:
			b = le.AppendUint32(b, v)
		case int64:
			b = le.AppendUint64(b, uint64(v))
		case uint64:
			b = le.AppendUint64(b, v)
		case bool:
			b = le.AppendUint32(b, map[bool]uint32{true: 1}[v])
		case string:
			b = append(append(le.AppendUint32(b, uint32(len(v)+1)), v...), 0)
		case fname:
			b = le.AppendUint64(b, uint64(v))
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
	return hex.EncodeToString(b)
}

// from returns the n numbers from a first one on.
func from[T uint8 | int32 | uint32 | int64 | uint64 | float32 | float64](first T, n int) string {
	values := make([]any, n)
	for i := range values {
		values[i] = first + T(i)
	}
	return enc(values...)
}

// nativeRow is a struct with a serializer of its own: its bytes, and its value as JSON.
type nativeRow struct {
	structs string // names, between blanks
	engine  property.Engine
	hex     string
	want    string
}

const editorData = 10000 // added to an engine: the package has editor data

// nativeRows has each struct once for each layout that it has. The bytes are those that
// FORMAT.md states; numbers differ, so that no two fields can change places.
func nativeRows() []nativeRow {
	const none = "00000000"
	input := enc(int32(-2), int32(3), fname(2), int32(1), int32(4), int32(5), int32(6), int32(7))
	inputJSON := `"Expression":{"ObjectName":"None'C'","ObjectPath":"/Script/G.C"},"OutputIndex":3,"InputName":"Red","Mask":1,"MaskR":4,"MaskG":5,"MaskB":6,"MaskA":7`
	tree := from[uint8](1, 26) + enc(int32(1)) + from[uint8](1, 12) + none + none
	treeJSON := `"RootNode":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26],"ChildEntries":[1,2,3,4,5,6,7,8,9,10,11,12],"Children":[],"DataEntries":[]`
	channel := func(value, standard string, size int32) string {
		return enc(uint8(1), uint8(2), int32(4), int32(2), int32(10), int32(20), size, int32(1)) + value + enc(float32(2), float32(3), float32(4), float32(5), uint8(6), uint8(7), uint8(8), uint8(0)) +
			standard + enc(true, int32(24000), int32(1001), true)
	}
	channelJSON := `{"PreInfinityExtrap":1,"PostInfinityExtrap":2,"Times":[10,20],"Values":[{"Value":1.5,"ArriveTangent":2.0,"LeaveTangent":3.0,"ArriveTangentWeight":4.0,"LeaveTangentWeight":5.0,"TangentWeightMode":6,"InterpMode":7,"TangentMode":8}],"DefaultValue":9.5,"bHasDefaultValue":true,"TickNumerator":24000,"TickDenominator":1001,"bShowCurve":true}`
	vector := func(first float64) string {
		return fmt.Sprintf(`{"X":%.1f,"Y":%.1f,"Z":%.1f}`, first, first+1, first+2)
	}
	plane := func(first float64) string {
		return fmt.Sprintf(`{"X":%.1f,"Y":%.1f,"Z":%.1f,"W":%.1f}`, first, first+1, first+2, first+3)
	}
	matrix := `{"XPlane":` + plane(1) + `,"YPlane":` + plane(5) + `,"ZPlane":` + plane(9) + `,"WPlane":` + plane(13) + `}`
	box := `{"Min":` + vector(1) + `,"Max":` + vector(4) + `,"IsValid":true}`
	box2 := `{"Min":{"X":1.0,"Y":2.0},"Max":{"X":3.0,"Y":4.0},"bIsValid":true}`
	sphere := `{"Center":` + vector(1) + `,"W":4.0}`
	rotator := `{"Pitch":1.0,"Yaw":2.0,"Roll":3.0}`
	var rows []nativeRow
	for _, r := range []struct {
		structs string
		n       int
		tail    string
		want    string
	}{
		{"Vector", 3, "", vector(1)}, {"Vector2D", 2, "", `{"X":1.0,"Y":2.0}`}, {"Vector4 Plane Quat", 4, "", plane(1)}, {"Rotator", 3, "", rotator},
		{"Sphere", 4, "", sphere}, {"Matrix", 16, "", matrix}, {"TwoVectors", 6, "", `{"v1":` + vector(1) + `,"v2":` + vector(4) + `}`},
		{"Box", 6, "01", box}, {"Box2D", 4, "01", box2},
	} {
		rows = append(rows, nativeRow{r.structs, 427, from[float32](1, r.n) + r.tail, r.want}, nativeRow{r.structs, 508, from[float64](1, r.n) + r.tail, r.want})
	}
	return append(rows, []nativeRow{
		{"Vector2f DeprecateSlateVector2D", 508, from[float32](1, 2), `{"X":1.0,"Y":2.0}`},
		{"Vector3f", 508, from[float32](1, 3), vector(1)},
		{"Vector4f Quat4f Plane4f", 508, from[float32](1, 4), plane(1)},
		{"Rotator3f", 508, from[float32](1, 3), rotator},
		{"Sphere3f", 508, from[float32](1, 4), sphere},
		{"Matrix44f", 508, from[float32](1, 16), matrix},
		{"Box2f", 508, from[float32](1, 4) + "01", box2},
		{"Vector3d", 427, from[float64](1, 3), vector(1)},
		{"Vector4d Quat4d Plane4d", 427, from[float64](1, 4), plane(1)},
		{"Rotator3d", 427, from[float64](1, 3), rotator},
		{"Sphere3d", 427, from[float64](1, 4), sphere},
		{"IntPoint IntVector2 Int32Point Int32Vector2", 508, from[int32](-1, 2), `{"X":-1,"Y":0}`},
		{"IntVector", 508, from[int32](-1, 3), `{"X":-1,"Y":0,"Z":1}`},
		{"IntVector4", 508, from[int32](-1, 4), `{"X":-1,"Y":0,"Z":1,"W":2}`},
		{"Int64Point Int64Vector2", 508, from[int64](-1, 2), `{"X":-1,"Y":0}`},
		{"Int64Vector", 508, from[int64](-1, 3), `{"X":-1,"Y":0,"Z":1}`},
		{"Int64Vector4", 508, from[int64](-1, 4), `{"X":-1,"Y":0,"Z":1,"W":2}`},
		{"UintPoint Uint32Point UintVector2", 508, from[uint32](1<<32-2, 2), `{"X":4294967294,"Y":4294967295}`},
		{"UintVector", 508, from[uint32](1<<31, 3), `{"X":2147483648,"Y":2147483649,"Z":2147483650}`},
		{"UintVector4", 508, from[uint32](1, 4), `{"X":1,"Y":2,"Z":3,"W":4}`},
		{"UInt64Point UInt64Vector2", 508, from[uint64](1<<64-2, 2), `{"X":18446744073709551614,"Y":18446744073709551615}`},
		{"UInt64Vector", 508, from[uint64](1, 3), `{"X":1,"Y":2,"Z":3}`},
		{"UInt64Vector4", 508, from[uint64](1, 4), `{"X":1,"Y":2,"Z":3,"W":4}`},
		{"Color", 508, from[uint8](1, 4), `{"B":1,"G":2,"R":3,"A":4}`},
		{"LinearColor", 508, from[float32](1, 4), `{"R":1.0,"G":2.0,"B":3.0,"A":4.0}`},
		{"DateTime Timespan", 508, enc(int64(638000000000000000)), `{"Ticks":638000000000000000}`},
		{"FrameNumber", 508, enc(int32(-5)), `{"Value":-5}`},
		{"MovieSceneSequenceID MovieSceneTrackIdentifier", 508, enc(uint32(1<<32 - 5)), `{"Value":4294967291}`},
		{"MovieSceneSegmentIdentifier", 508, enc(int32(-5)), `{"Value":-5}`},
		{"MovieSceneEvaluationKey", 508, enc(uint32(1), uint32(2), int32(-3)), `{"SequenceID":{"Value":1},"TrackIdentifier":{"Value":2},"SectionIndex":{"Value":-3}}`},
		{"FrameBound", 508, enc(uint8(1), int32(-2)), `{"Type":1,"Value":-2}`},
		{"MovieSceneFrameRange", 508, enc(uint8(1), int32(-2), uint8(2), int32(3)), `{"LowerBound":{"Type":1,"Value":-2},"UpperBound":{"Type":2,"Value":3}}`},
		{"RichCurveKey", 508, from[uint8](1, 3) + from[float32](4, 6), `{"InterpMode":1,"TangentMode":2,"TangentWeightMode":3,"Time":4.0,"Value":5.0,"ArriveTangent":6.0,"ArriveTangentWeight":7.0,"LeaveTangent":8.0,"LeaveTangentWeight":9.0}`},
		{"SimpleCurveKey", 508, from[float32](1, 2), `{"Time":1.0,"Value":2.0}`},
		{"NameCurveKey", 508, enc(float32(1), fname(2)), `{"Time":1.0,"Value":"Red"}`},
		{"FontCharacter", 508, from[int32](1, 4) + "05" + enc(int32(-6)), `{"StartU":1,"StartV":2,"USize":3,"VSize":4,"TextureIndex":5,"VerticalOffset":-6}`},
		{"MidiEvent", 508, enc(int32(480)) + from[uint8](1, 4), `{"Tick":480,"Type":1,"Data1":2,"Data2":3,"Data3":4}`},
		{"Guid", 508, from[uint32](1, 4), `"00000001-00000002-00000003-00000004"`},
		{"SoftObjectPath SoftClassPath StringAssetReference StringClassReference", 427, enc(fname(1), "S"), `{"AssetPathName":"A","SubPathString":"S"}`},
		{"SoftObjectPath SoftClassPath", 505, enc(fname(1), fname(2), "S"), `{"AssetPathName":"A.Red","SubPathString":"S"}`},
		{"SoftObjectPath SoftClassPath", 508, enc(fname(1), fname(2), int32(1), uint8('S')), `{"AssetPathName":"A.Red","SubPathString":"S"}`},
		{"SoftObjectPath StringAssetReference", 416, enc("/Game/A.A"), `{"AssetPathName":"/Game/A.A","SubPathString":""}`},
		{"GameplayTagContainer", 508, enc(int32(2), fname(1), fname(2)), `["A","Red"]`},
		{"PerPlatformFloat", 508, enc(false, float32(1), int32(1), fname(2), float32(3)), `{"Default":1.0,"PerPlatform":[{"Key":"Red","Value":3.0}]}`},
		{"PerPlatformFloat", 427, enc(true, float32(1)), `{"Default":1.0}`},
		{"PerPlatformFloat", 427 + editorData, enc(false, float32(1), int32(1), fname(2), float32(3)), `{"Default":1.0,"PerPlatform":[{"Key":"Red","Value":3.0}]}`},
		{"PerPlatformInt", 508, enc(true, int32(-1)), `{"Default":-1}`},
		{"PerPlatformBool", 508, enc(true, true), `{"Default":true}`},
		{"PerPlatformFrameRate", 508, enc(true, int32(24000), int32(1001)), `{"Default":{"Numerator":24000,"Denominator":1001}}`},
		{"PerQualityLevelFloat", 508, enc(true, float32(1), int32(1), int32(2), float32(3)), `{"Default":1.0,"PerQuality":[{"Key":2,"Value":3.0}]}`},
		{"PerQualityLevelInt", 508, enc(true, int32(1), int32(1), int32(2), int32(3)), `{"Default":1,"PerQuality":[{"Key":2,"Value":3}]}`},
		{"SmartName", 427, enc(fname(2)), `{"DisplayName":"Red"}`},
		{"SmartName", 416 + editorData, enc(fname(2), uint16(7), int32(1), int32(2), int32(3), int32(4)), `{"DisplayName":"Red","UID":7,"Guid":"00000001000000020000000300000004"}`},
		{"ExpressionInput MaterialAttributesInput", 508, input, `{` + inputJSON + `}`},
		{"ExpressionInput MaterialAttributesInput", 427, enc(int32(3), fname(2), int32(1), int32(4), int32(5), int32(6), int32(7), fname(1)),
			`{"OutputIndex":3,"InputName":"Red","Mask":1,"MaskR":4,"MaskG":5,"MaskB":6,"MaskA":7,"ExpressionName":"A"}`},
		{"ScalarMaterialInput", 508, input + enc(true, float32(8)), `{` + inputJSON + `,"UseConstant":true,"Constant":8.0}`},
		{"VectorMaterialInput", 508, input + enc(true) + from[float32](1, 3), `{` + inputJSON + `,"UseConstant":true,"Constant":` + vector(1) + `}`},
		{"Vector2MaterialInput", 508, input + enc(true) + from[float32](1, 2), `{` + inputJSON + `,"UseConstant":true,"Constant":{"X":1.0,"Y":2.0}}`},
		{"ColorMaterialInput", 508, input + enc(true) + from[float32](1, 4), `{` + inputJSON + `,"UseConstant":true,"Constant":{"R":1.0,"G":2.0,"B":3.0,"A":4.0}}`},
		{"ColorMaterialInput", 505, input + enc(true) + from[uint8](1, 4), `{` + inputJSON + `,"UseConstant":true,"Constant":{"B":1,"G":2,"R":3,"A":4}}`},
		{"FontData", 508, enc(true, int32(0), "F", uint8(1), uint8(2), int32(3)), `{"bIsCooked":true,"FontFaceAsset":null,"FontFilename":"F","Hinting":1,"LoadingPolicy":2,"SubFaceIndex":3}`},
		{"FontData", 419, enc(true, int32(-2)), `{"bIsCooked":true,"FontFaceAsset":{"ObjectName":"None'C'","ObjectPath":"/Script/G.C"}}`},
		{"LevelSequenceObjectReferenceMap", 508, enc(int32(1)) + from[uint32](1, 4) + from[uint32](5, 4) + enc("P"),
			`{"Map":[{"Key":"00000001000000020000000300000004","Value":{"ObjectId":"00000005000000060000000700000008","ObjectPath":"P"}}]}`},
		{"MovieSceneEventParameters", 427, enc(fname(1), "", int32(2), uint8(3), uint8(4)), `{"StructType":{"AssetPathName":"A","SubPathString":""},"StructBytes":[3,4]}`},
		{"MovieSceneEventParameters", 416, enc(int32(-2), int32(2), uint8(3), uint8(4)), `{"StructType":{"ObjectName":"None'C'","ObjectPath":"/Script/G.C"},"StructBytes":[3,4]}`},
		{"MovieSceneFloatChannel", 508, channel(enc(float32(1.5)), enc(float32(9.5)), 24), channelJSON},
		{"MovieSceneDoubleChannel", 508, channel(enc(float64(1.5)), enc(float64(9.5)), 28), channelJSON},
		{"MovieSceneEvaluationFieldEntityTree", 508, tree + enc(int32(1), int32(1), int32(2)), `{` + treeJSON + `,"Items":[1,0,0,0,2,0,0,0]}`},
		{"MovieSceneTrackFieldData", 508, tree + enc(int32(1), int32(1)), `{` + treeJSON + `,"Items":[1,0,0,0]}`},
		{"MovieSceneSubSequenceTree", 508, tree + enc(int32(1), int32(1), uint8(2)), `{` + treeJSON + `,"Items":[1,0,0,0,2]}`},
		{"MovieSceneTimeWarpVariant", 508, enc(true, float64(1.5)), `{"bLiteral":true,"Literal":1.5}`},
		{"MovieSceneEvalTemplatePtr MovieSceneTrackImplementationPtr MovieSceneSequenceInstanceDataPtr", 508, enc("/Script/G.Part") + "0003" + enc(int32(7)), `{"":{"N":7}}`},
		{"MovieSceneEvalTemplatePtr", 508, enc(int32(0)), `{}`},
		{"InstancedStruct", 508, enc(int32(-3), int32(6)) + "0003" + enc(int32(7)), `{"StructType":"/Script/G.Part","Value":{"N":7}}`},
		{"InstancedStruct", 508, enc(int32(0), int32(0)), `null`},
		{"NiagaraVariableBase", 508, enc(fname(2)) + "0003" + enc(int32(7)), `{"Name":"Red","TypeDefHandle":{"N":7}}`},
		{"NiagaraVariable", 508, enc(fname(2)) + "0003" + enc(int32(7), int32(2), uint8(8), uint8(9)), `{"Name":"Red","TypeDefHandle":{"N":7},"VarData":[8,9]}`},
		{"NiagaraVariableWithOffset", 508, enc(fname(2)) + "0003" + enc(int32(7), int32(8)), `{"Name":"Red","TypeDefHandle":{"N":7},"Offset":8}`},
		{"EdGraphPinType", 508 + editorData, enc(fname(1), fname(2), int32(-2), uint8(3), fname(2), fname(1), int32(0), true, false, true, true, false, int32(0), fname(2)) + from[uint32](1, 4) + enc(true, false, true),
			`{"PinCategory":"A","PinSubCategory":"Red","PinSubCategoryObject":{"ObjectName":"None'C'","ObjectPath":"/Script/G.C"},"ContainerType":3,"PinValueType":{"PinCategory":"Red","PinSubCategory":"A","PinSubCategoryObject":null,"bTerminalIsConst":true,"bTerminalIsWeakPointer":false,"bTerminalIsUObjectWrapper":true},"bIsReference":true,"bIsWeakPointer":false,"PinSubCategoryMemberReference":{"MemberParent":null,"MemberName":"Red","MemberGuid":"00000001000000020000000300000004"},"bIsConst":true,"bIsUObjectWrapper":false,"bSerializeAsSinglePrecisionFloat":true}`},
		{"KeyHandleMap", 508, "", `{}`},
		{"SkeletalMeshSamplingLODBuiltData", 508, enc(int32(2), float32(1), float32(2), int32(1), int32(3), float32(4)), `{"Prob":[1.0,2.0],"Alias":[3],"TotalWeight":4.0}`},
		{"RigVMPropertyBag", 508, enc(true, int32(0), int32(2)) + "0001", `{}`},
		{"RigVMPropertyBag", 508, enc(false), `{}`},
	}...)
}

// TestNativeStructs reads each struct that has a serializer of its own from its bytes alone:
// a width that is wrong leaves bytes, or takes those of the next value.
func TestNativeStructs(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range nativeRows() {
		for name := range strings.FieldsSeq(row.structs) {
			tested[strings.ToLower(name)] = true
			f, lib := oneField(property.NewType(property.Struct, name, "", nil, nil), "None A Red", row.hex)
			for _, part := range []string{"Part", "NiagaraTypeDefinition"} {
				lib.Add(&property.Schema{Name: part, Positions: 1, Fields: []property.Field{{Name: "N", Type: &property.Type{Kind: property.Int}, Count: 1}}})
			}
			f.ue4, f.ue5, f.custom = 0, 0, nil
			if row.engine > editorData {
				f.flags &^= 0x80000000
			}
			d := property.NewDecoder(f.withPart(), property.Options{Schemas: lib, Engine: row.engine % editorData})
			var o property.Export
			d.Export(&o, 0, f.bytes(t))
			_, got, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"Properties":{"F":`)
			if want := row.want + "}}"; got != want || o.Status != property.Exact {
				t.Errorf("%s of %s: %s, %v\n got %s\nwant %s", name, row.engine%editorData, o.Status, o.Why, got, want)
			}
		}
	}
	read, _ := property.NativeNames()
	for _, name := range read {
		if !tested[name] {
			t.Errorf("%s has no row", name)
		}
	}
}

// TestUnreadStructs: a struct whose serializer is not known is no list. Without tags it
// costs the list; with a tag, which says where it ends, it may be one.
func TestUnreadStructs(t *testing.T) {
	b, err := os.ReadFile(codecstest.Sample(t, "meaning", "native-structs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	read, unread := property.NativeNames()
	for name := range strings.FieldsSeq(string(b)) {
		if slices.Contains(read, strings.ToLower(name)) {
			continue
		}
		if !slices.Contains(unread, strings.ToLower(name)) {
			t.Errorf("%s is read as a list", name)
		}
		f, lib := oneField(property.NewType(property.Struct, name, "", nil, nil), "None A", "0001")
		lib.Add(&property.Schema{Name: name})
		d := property.NewDecoder(f.facts(), property.Options{Schemas: lib})
		var o property.Export
		d.Export(&o, 0, f.bytes(t))
		if o.Status != property.Lost || !strings.Contains(fmt.Sprint(o.Why), name) || o.Coverage.Lost != 1 {
			t.Errorf("%s: %s, %v", name, o.Status, o.Why)
		}
	}
}

// TestStructsThatTagsBound reads structs that only a tag makes sure of, and maps whose tags
// do not name their structs.
func TestStructsThatTagsBound(t *testing.T) {
	const (
		none fname = iota
		tracks
		mapProperty
		structProperty
		n
		intProperty
		cloth
		arrayProperty
		clothLODData
		key
		stringCurveKey
		other
	)
	const names = "None Tracks MapProperty StructProperty N IntProperty Cloth ArrayProperty ClothLODData Key StringCurveKey Other"
	bytesOf := func(h string) int32 { return int32(len(h) / 2) }
	number := func(v int32) string { return enc(n, intProperty, int32(4), int32(0), uint8(0), v) }
	bad := enc(n, intProperty, int32(2), int32(0), uint8(0), uint16(7)) // an int of two bytes
	dict := func(name fname, value string) string {
		return enc(name, mapProperty, bytesOf(value), int32(0), structProperty, structProperty, uint8(0)) + value
	}
	structure := func(name, of fname, value string) string {
		return enc(name, structProperty, bytesOf(value), int32(0), of, int64(0), int64(0), uint8(0)) + value
	}
	vertex := strings.Repeat("01", 64)
	level := number(5) + enc(none) + enc(int32(1)) + vertex + enc(int32(0))
	inner := structure(cloth, clothLODData, level)
	for _, tt := range []struct{ name, hex, want string }{
		{"a known map", dict(tracks, enc(int32(0), int32(1), uint32(9))+number(5)+enc(none)), `{"Tracks":[{"Key":9,"Value":{"N":5}}]}`},
		{"a known map with an opaque value", dict(tracks, enc(int32(0), int32(2), uint32(9))+bad+enc(none, uint32(10))+number(5)+enc(none)),
			`{"Tracks":[{"Key":9,"Value":{"N":{"Opaque":"unexpected end of data at 0x4e: need 4, have 2","Size":2}}},{"Key":10,"Value":{"N":5}}]}`},
		{"a map of lists with an opaque value", dict(other, enc(int32(0), int32(1), int32(1), int32(2), int32(3), int32(4))+bad+enc(none)),
			`{"Other":[{"Key":"00000001-00000002-00000003-00000004","Value":{"N":{"Opaque":"unexpected end of data at 0x5a: need 4, have 2","Size":2}}}]}`},
		{"a level of cloth", inner, `{"Cloth":{"N":5,"TransitionUpSkinData":[` + strings.TrimSuffix(strings.Repeat("1,", 64), ",") + `],"TransitionDownSkinData":[]}}`},
		{"a level of cloth that is a list", structure(cloth, clothLODData, number(5)+enc(none)), `{"Cloth":{"N":5}}`},
		{"a key with a text", structure(key, stringCurveKey, enc(float32(1.5), "B")), `{"Key":{"Time":1.5,"Value":"B"}}`},
	} {
		f := fixture{name: tt.name, ue4: 522, flags: 0x80000200, names: names, hex: tt.hex + enc(none) + "00000000"}
		d := property.NewDecoder(f.facts(), property.Options{})
		var o property.Export
		d.Export(&o, 0, f.bytes(t))
		_, got, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"Properties":`)
		if want := tt.want + "}"; got != want || o.Status != property.Exact {
			t.Errorf("%s: %s, %v\n got %s\nwant %s", tt.name, o.Status, o.Why, got, want)
		}
		check(t, d, &o, f.bytes(t))
	}
}

// TestClassicStructs reads each struct that UE1 to UE3 store without tags from its bytes
// alone: a width that is wrong leaves bytes, or takes those of what follows.
func TestClassicStructs(t *testing.T) {
	vectors := func(names string) (text string) {
		n := 1.0
		for name := range strings.FieldsSeq(names) {
			text += fmt.Sprintf(" %s(X=%v Y=%v Z=%v)", name, n, n+1, n+2)
			n += 3
		}
		return text[1:]
	}
	planes, n := "", 1
	for _, name := range []string{"XPlane", "YPlane", "ZPlane", "WPlane"} {
		planes += fmt.Sprintf(" %s(W=%d X=%d Y=%d Z=%d)", name, n, n+1, n+2, n+3)
		n += 4
	}
	tested := map[string]int{}
	for _, tt := range []struct {
		version    int
		name       string
		hex, shown string
	}{
		{69, "Vector", from[float32](1, 3), "X=1 Y=2 Z=3"},
		{69, "Rotator", from[int32](-1, 3), "Pitch=-1 Yaw=0 Roll=1"},
		{69, "Color", from[uint8](1, 4), "R=1 G=2 B=3 A=4"},
		{100, "Color", from[uint8](1, 4), "B=1 G=2 R=3 A=4"},
		{69, "Guid", from[int32](1, 4), "A=1 B=2 C=3 D=4"},
		{69, "Plane", from[float32](1, 4), "W=1 X=2 Y=3 Z=4"},
		{69, "Coords", from[float32](1, 12), vectors("Origin XAxis YAxis ZAxis")},
		{69, "Scale", from[float32](1, 4) + "05", vectors("Scale") + " SheerRate=4 SheerAxis=5"},
		{69, "PointRegion", "01" + enc(int32(-2)) + "03", "Zone=1 iLeaf=-2 ZoneNumber=3"},
		{868, "Vector2D", from[float32](1, 2), "X=1 Y=2"},
		{868, "Vector4", from[float32](1, 4), "X=1 Y=2 Z=3 W=4"},
		{868, "Quat", from[float32](1, 4), "X=1 Y=2 Z=3 W=4"},
		{868, "Plane", from[float32](1, 4), "W=1 X=2 Y=3 Z=4"},
		{868, "LinearColor", from[float32](1, 4), "R=1 G=2 B=3 A=4"},
		{868, "Box", from[float32](1, 6) + "01", vectors("Min Max") + " IsValid=1"},
		{868, "Matrix", from[float32](1, 16), planes[1:]},
		{868, "Guid", from[int32](1, 4), "A=1 B=2 C=3 D=4"},
		{868, "TwoVectors", from[float32](1, 6), vectors("v1 v2")},
	} {
		tested[tt.name]++
		data, err := hex.DecodeString(tt.hex)
		if err != nil {
			t.Fatal(err)
		}
		w := &w{version: tt.version}
		if tt.version >= 322 {
			w.i32(0).name(nDeep).name(nStruct).i32(len(data), 0).name(len(names))
		} else {
			w.name(nDeep).raw(0x0A|5<<4, byte(len(names)), byte(len(data)))
		}
		w.raw(data...).name(nNone)
		f, read := made(tt.version, w.b)
		f.Names = append(f.Names, unreal.PackageName{Text: tt.name})
		d, err := property.NewClassicDecoder(f, read)
		if err != nil {
			t.Fatal(err)
		}
		var x property.Export
		d.Export(&x, 1, w.b)
		if x.Status != property.Exact || x.Coverage.Opaque > 0 {
			t.Errorf("%s of %d: %v, %d opaque, %v", tt.name, tt.version, x.Status, x.Coverage.Opaque, x.Why)
			continue
		}
		if got := fieldsOf(&x.List, 0); got != tt.shown {
			t.Errorf("%s of %d: %s, want %s", tt.name, tt.version, got, tt.shown)
		}
	}
	for name, from := range property.StoredStructs() {
		if tested[name] != len(from) {
			t.Errorf("%s: %d rows, want one for each of the versions %v", name, tested[name], from)
		}
	}
}

// fieldsOf shows the fields of a struct.
func fieldsOf(l *property.List, at int) string {
	var all []string
	for i, n := range l.Children(at) {
		switch n.Kind {
		case property.Struct:
			all = append(all, n.Name+"("+fieldsOf(l, i)+")")
		case property.Float:
			all = append(all, fmt.Sprintf("%s=%v", n.Name, n.Float()))
		default:
			all = append(all, fmt.Sprintf("%s=%d", n.Name, n.Int()))
		}
	}
	return strings.Join(all, " ")
}
