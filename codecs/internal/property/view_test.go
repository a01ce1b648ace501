package property_test

import (
	"encoding/hex"
	"math"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// view renders values in the form of the truths.
type view struct {
	d *property.Decoder
	l *property.List
}

// plain are structs of numbers that the truths write as arrays.
var plain = map[string]bool{"Vector": true, "Vector2D": true, "Vector4": true, "Plane": true, "Quat": true, "Rotator": true,
	"IntPoint": true, "DeprecateSlateVector2D": true, "IntVector": true, "LinearColor": true, "SimpleCurveKey": true}

func (v *view) value(i int) any {
	n := &v.l.Nodes[i]
	switch n.Kind {
	case property.Opaque:
		return map[string]any{"$opaque": n.Text, "$size": int64(n.Size)}
	case property.Bool:
		return n.Bits != 0
	case property.Byte, property.Enum:
		if n.Text != "" {
			return n.Text
		}
		return n.Bits
	case property.Int8, property.Int16, property.Int, property.Int64:
		return n.Int()
	case property.UInt16, property.UInt32, property.UInt64:
		return n.Bits
	case property.Float, property.Double:
		if f := n.Float(); !math.IsNaN(f) {
			return f
		}
		return nil
	case property.Object, property.Class, property.WeakObject, property.Interface:
		return v.object(n)
	case property.SoftObject, property.SoftClass:
		return v.soft(i)
	case property.Delegate:
		return map[string]any{"Object": v.object(n), "Function": n.Text}
	case property.FieldPath:
		return map[string]any{"Path": v.list(i, v.l), "Owner": v.object(n)}
	case property.Text:
		return v.text(i)
	case property.Struct:
		return v.structure(i)
	case property.Array, property.MulticastDelegate, property.MulticastInline, property.MulticastSparse:
		if n.Flags&property.Packed != 0 {
			u := v.l.Unpack(i, 0, 1<<20)
			if n.Type.Elem.Kind == property.Byte {
				data, _ := v.l.Packed(i)
				return map[string]any{"$bytes": hex.EncodeToString(data)}
			}
			return (&view{v.d, u}).list(-1, u)
		}
		if n.Type.Elem != nil && n.Type.Elem.Kind == property.Byte && n.Next > int32(i+1) && v.l.Nodes[i+1].Text == "" {
			var data []byte
			for _, c := range v.l.Children(i) {
				data = append(data, byte(c.Bits))
			}
			return map[string]any{"$bytes": hex.EncodeToString(data)}
		}
		return v.list(i, v.l)
	case property.Set:
		return v.list(i, v.l)
	case property.Map:
		return v.pairs(i)
	case property.Optional:
		if n.Bits == 0 {
			return nil
		}
		return map[string]any{"$set": v.value(i + 1)}
	}
	return n.Text
}

func (v *view) object(n *property.Node) any {
	if n.Bits == 0 {
		return nil
	}
	return v.d.ObjectPath(unreal.ObjectRef(n.Int()))
}

func (v *view) soft(i int) any {
	sub := ""
	if k := v.l.Find(i, "SubPath", 0); k >= 0 {
		sub = v.l.Nodes[k].Text
	}
	return map[string]any{"AssetPath": v.l.Nodes[i].Text, "SubPath": sub}
}

func (v *view) list(i int, l *property.List) []any {
	out := []any{}
	for k := range l.Children(i) {
		out = append(out, v.value(k))
	}
	return out
}

func (v *view) pairs(i int) any {
	out, flat := []any{}, v.list(i, v.l)
	for k := int(v.l.Nodes[i].Bits); k+1 < len(flat); k += 2 {
		out = append(out, []any{flat[k], flat[k+1]})
	}
	return out
}

func (v *view) structure(i int) any {
	n := &v.l.Nodes[i]
	switch name := n.Type.Name; {
	case name == "Guid":
		return n.Text
	case name == "InstancedStruct" && n.Next > int32(i+1):
		return map[string]any{"$struct": v.l.Nodes[i+1].Type.Name, "$value": v.value(i + 1)}
	case name == "InstancedStruct":
		return nil
	case name == "DateTime" || name == "Timespan" || name == "FrameNumber":
		return v.value(i + 1)
	case name == "SoftObjectPath" || name == "SoftClassPath":
		return v.soft(i)
	case name == "StringAssetReference" || name == "StringClassReference":
		return v.soft(i)
	case name == "GameplayTagContainer" && n.Flags&property.Binary != 0:
		return v.list(i, v.l)
	case name == "LevelSequenceObjectReferenceMap":
		out := []any{}
		for _, pair := range v.pairs(i + 1).([]any) {
			m := pair.([]any)[1].(map[string]any)
			out = append(out, []any{pair.([]any)[0], m["ObjectId"], m["ObjectPath"]})
		}
		return out
	case n.Flags&property.Zero != 0 && n.Next == int32(i+1):
		return map[string]any{"$zero": name}
	case plain[name] && n.Flags&property.Binary != 0 || plain[name] && n.Flags&property.Zero != 0:
		return v.list(i, v.l)
	}
	out := map[string]any{}
	for k, c := range v.l.Children(i) {
		name := c.Name
		if c.Index > 0 {
			name += "[" + string(rune('0'+c.Index)) + "]"
		}
		x := v.value(k)
		if b, ok := x.(bool); ok && c.Name == "IsValid" {
			x = int64(0)
			if b {
				x = int64(1)
			}
		}
		out[name] = x
	}
	return out
}

func (v *view) text(i int) any {
	n := &v.l.Nodes[i]
	out := map[string]any{"Flags": n.Bits & 0xFFFFFFFF}
	history := int8(n.Bits >> 32)
	if history < 0 {
		if n.Text != "" {
			out["Source"] = n.Text
		}
		return out
	}
	out["History"] = int64(history)
	names := map[string]string{"Arguments": "Args", "SourceValue": "Value", "TargetCulture": "Culture", "CurrencyCode": "Currency",
		"SourceDateTime": "DateTime", "SourceText": "Text", "TransformType": "Transform", "TableId": "Table"}
	if history == 0 {
		out["Source"] = n.Text
	}
	for k, c := range v.l.Children(i) {
		name := c.Name
		if names[name] != "" {
			name = names[name]
		}
		if name == "DateStyle" || name == "TimeStyle" {
			list, _ := out["Styles"].([]any)
			out["Styles"] = append(list, v.value(k))
			continue
		}
		out[name] = v.value(k)
	}
	return out
}

// row returns a row of a table.
func (v *view) row(name string) any {
	rows := v.l.Find(-1, "Rows", 0)
	if rows < 0 {
		return nil
	}
	key := ""
	even := true
	for i, n := range v.l.Children(rows) {
		if even {
			key = n.Text
		} else if key == name {
			return v.structure(i)
		}
		even = !even
	}
	return nil
}

func (v *view) strings() any {
	out := map[string]any{}
	if i := v.l.Find(-1, "TableNamespace", 0); i >= 0 {
		out["namespace"] = v.l.Nodes[i].Text
	}
	entries := map[string]any{}
	if i := v.l.Find(-1, "KeysToEntries", 0); i >= 0 {
		for _, pair := range v.pairs(i).([]any) {
			entries[pair.([]any)[0].(string)] = pair.([]any)[1]
		}
	}
	out["entries"] = entries
	return out
}
