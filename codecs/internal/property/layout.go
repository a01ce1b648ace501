package property

import "strings"

// layout is how a struct of nothing but numbers is stored: its fields, in order and
// without gaps.
type layout struct {
	fields []layoutField
}

// layoutField is a field of a layout. Vectors became f64 in UE5, so that it has two
// types.
type layoutField struct {
	name         string
	narrow, wide *Type
}

// size returns how many bytes the struct takes.
func (l *layout) size(wide bool) int { return l.offset(len(l.fields), wide) }

// valid reports whether the bools of structs of size bytes each are 0 or 1. Only
// boxes have one, as the last byte.
func (l *layout) valid(b []byte, size int) bool {
	if last := l.fields[len(l.fields)-1]; last.narrow.Kind != Bool {
		return true
	}
	for at := size - 1; at < len(b); at += size {
		if b[at] > 1 {
			return false
		}
	}
	return true
}

// offset returns where field n starts.
func (l *layout) offset(n int, wide bool) (size int) {
	for i := range l.fields[:n] {
		t := l.fields[i].narrow
		if wide {
			t = l.fields[i].wide
		}
		size += elementSize(t, wide)
	}
	return size
}

// maxFields is how many nodes a layout adds at most: those of a matrix.
const maxFields = 20

// newLayout makes a layout from its fields: "R X Y Z" are three of type R, and
// "; u8 IsValid" begins another type. Types are R (f32 below UE5 1004, f64 from there
// on), f32, f64, u8, b8, b32, i16, i32, i64, u16, u32, u64, and names of layouts.
func newLayout(text string, known map[string]*layout) *layout {
	l := &layout{}
	for part := range strings.SplitSeq(text, ";") {
		words := strings.Fields(part)
		narrow, wide := numberTypes(words[0])
		if sub := known[words[0]]; sub != nil {
			narrow = &Type{Kind: Struct, Name: words[0], native: &native{layout: sub}}
			wide = narrow
		}
		for _, name := range words[1:] {
			l.fields = append(l.fields, layoutField{name, narrow, wide})
		}
	}
	return l
}

// numberTypes returns the types of a word of [newLayout].
func numberTypes(word string) (narrow, wide *Type) {
	kinds := map[string]Kind{"f32": Float, "f64": Double, "u8": Byte, "b8": Bool, "i16": Int16, "i32": Int, "i64": Int64,
		"u16": UInt16, "u32": UInt32, "u64": UInt64}
	if word == "R" {
		return &Type{Kind: Float}, &Type{Kind: Double}
	}
	t := &Type{Kind: kinds[word]}
	return t, t
}

// layouts are the structs of numbers alone, in an order in which those that others
// have come first. FORMAT.md says which were seen in files.
func layouts() map[string]*layout {
	known := map[string]*layout{}
	for _, row := range []struct{ names, fields string }{
		{"Vector", "R X Y Z"},
		{"Vector2D", "R X Y"},
		{"Vector4 Plane Quat", "R X Y Z W"},
		{"Rotator", "R Pitch Yaw Roll"},
		{"Sphere", "Vector Center; R W"},
		{"Matrix", "Plane XPlane YPlane ZPlane WPlane"},
		{"TwoVectors", "Vector v1 v2"},
		{"Box", "Vector Min Max; b8 IsValid"},
		{"Box2D", "Vector2D Min Max; b8 bIsValid"},
		{"Vector2f DeprecateSlateVector2D", "f32 X Y"},
		{"Box2f", "Vector2f Min Max; b8 bIsValid"},
		{"Vector3f", "f32 X Y Z"},
		{"Vector4f Quat4f Plane4f", "f32 X Y Z W"},
		{"Rotator3f", "f32 Pitch Yaw Roll"},
		{"Sphere3f", "Vector3f Center; f32 W"},
		{"Matrix44f", "Plane4f XPlane YPlane ZPlane WPlane"},
		{"Vector3d", "f64 X Y Z"},
		{"Vector4d Quat4d Plane4d", "f64 X Y Z W"},
		{"Sphere3d", "Vector3d Center; f64 W"},
		{"Rotator3d", "f64 Pitch Yaw Roll"},
		{"IntPoint IntVector2 Int32Point Int32Vector2", "i32 X Y"},
		{"IntVector", "i32 X Y Z"},
		{"IntVector4", "i32 X Y Z W"},
		{"Int64Point Int64Vector2", "i64 X Y"},
		{"Int64Vector", "i64 X Y Z"},
		{"Int64Vector4", "i64 X Y Z W"},
		{"UintPoint Uint32Point UintVector2", "u32 X Y"},
		{"UintVector", "u32 X Y Z"},
		{"UintVector4", "u32 X Y Z W"},
		{"Uint64Point Uint64Vector2", "u64 X Y"},
		{"Uint64Vector", "u64 X Y Z"},
		{"Uint64Vector4", "u64 X Y Z W"},
		{"Color", "u8 B G R A"},
		{"LinearColor", "f32 R G B A"},
		{"DateTime Timespan", "i64 Ticks"},
		{"FrameNumber", "i32 Value"},
		{"MovieSceneSequenceID", "u32 Value"},
		{"MovieSceneTrackIdentifier", "u32 Value"},
		{"MovieSceneSegmentIdentifier", "i32 Value"},
		{"MovieSceneEvaluationKey", "MovieSceneSequenceID SequenceID; MovieSceneTrackIdentifier TrackIdentifier; MovieSceneSegmentIdentifier SectionIndex"},
		{"FrameBound", "u8 Type; i32 Value"},
		{"MovieSceneFrameRange", "FrameBound LowerBound UpperBound"},
		{"RichCurveKey", "u8 InterpMode TangentMode TangentWeightMode; f32 Time Value ArriveTangent ArriveTangentWeight LeaveTangent LeaveTangentWeight"},
		{"SimpleCurveKey", "f32 Time Value"},
		{"FontCharacter", "i32 StartU StartV USize VSize; u8 TextureIndex; i32 VerticalOffset"},
		{"MidiEvent", "i32 Tick; u8 Type Data1 Data2 Data3"},
	} {
		l := newLayout(row.fields, known)
		for name := range strings.FieldsSeq(row.names) {
			known[name] = l
		}
	}
	return known
}
