package property

import "sync"

// candidates are the types that elements of containers are tried as where the tag
// says no more than that they are structs, the likeliest first. Source: FORMAT.md.
var candidates = sync.OnceValue(func() []*Type {
	list := []*Type{typeStruct}
	for _, name := range []string{"Guid", "Vector", "IntPoint", "IntVector", "Vector2D", "SoftObjectPath", "LinearColor", "Color", "Quat", "Rotator"} {
		list = append(list, structNamed(name))
	}
	return append(list, typeUInt32, typeInt64, structNamed("GameplayTagContainer"))
})

// knownContainers are properties of the engine whose elements are known by their name:
// keys, or keys and values.
var knownContainers = sync.OnceValue(func() map[string][2]*Type {
	guid, variable := structNamed("Guid"), structNamed("NiagaraVariable")
	return map[string][2]*Type{
		"BindingIdToReferences":           {guid, typeStruct},
		"Tracks":                          {typeUInt32, typeStruct},
		"SubSequences":                    {typeUInt32, typeStruct},
		"Hierarchy":                       {typeUInt32, typeStruct},
		"TrackSignatureToTrackIdentifier": {guid, typeUInt32},
		"UserParameterRedirects":          {variable, variable},
	}
})

// stateType gives a container whose tag does not name the structs in it the type that
// the schema of its owner states.
func stateType(p *parser, i int, path, owner string) {
	t := p.l.Nodes[i].Type
	if p.v.ue5 >= typeNames || owner == "" || !(unnamed(t.Elem) || t.Key != nil && unnamed(t.Key)) {
		return
	}
	if t.Kind == Array && p.v.ue4 >= innerTags {
		return // an inner tag follows
	}
	if f := fieldNamed(p, path, owner, p.l.Nodes[i].Name); f != nil && f.Kind == t.Kind {
		p.l.Nodes[i].Type = f
	}
}

// guess reads a container whose tag does not name its structs: as the first types that
// end where the tag says, with every name and bool valid. Where none fits, lists are taken
// that do and have values that are opaque: their tags still hold together.
func guess(p *parser, i int, t *Type) {
	keys, elems := []*Type{t.Key}, []*Type{t.Elem}
	if t.Key != nil && unnamed(t.Key) {
		keys = candidates()
	}
	if unnamed(t.Elem) {
		elems = candidates()
	}
	start := p.mark()
	p.trial++
	defer func() { p.trial-- }()
	known, isKnown := knownContainers()[p.l.Nodes[i].Name]
	isKnown = isKnown && t.Kind == Map
	if isKnown && guessOne(p, i, t, known[0], known[1], false) {
		return
	}
	for _, lossy := range []bool{false, true} {
		if lossy && isKnown {
			keys, elems = known[:1], known[1:]
		}
		for _, key := range keys {
			for _, elem := range elems {
				if lossy && elem != typeStruct {
					continue
				}
				p.back(start)
				if guessOne(p, i, t, key, elem, lossy) {
					return
				}
				if p.work < 0 {
					return
				}
			}
		}
	}
	p.back(start)
	p.fail(errKind)
}

// guessOne reads the container as one of these types and reports whether that fits; lossy
// ones may have values that are opaque.
func guessOne(p *parser, i int, t, key, elem *Type, lossy bool) bool {
	start := p.mark()
	if !p.toil(1) {
		return false
	}
	switch t.Kind {
	case Array:
		if n := p.countOf(i, 1); p.ok() {
			p.l.Nodes[i].Type = p.d.types.of(Array, nil, elem)
			readElements(p, i, elem, n)
		}
	default:
		c := p.d.types.of(t.Kind, key, elem)
		p.l.Nodes[i].Type = c
		readPairs(p, i, c)
	}
	if p.ok() && p.in.Len() == 0 && (lossy || p.lost == start.lost) {
		if len(p.l.Nodes) > start.nodes {
			p.l.Nodes[i].Flags |= Guessed
			p.guessed++
		}
		return true
	}
	p.back(start)
	p.l.Nodes[i].Type, p.l.Nodes[i].Bits, p.l.Nodes[i].Flags = t, 0, 0
	return false
}
