package retropak

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
	"pakdb/internal/family"
)

const inspectorName = "retro"

// maxContent bounds the content that is read for references. The largest
// assets of the games are some ten MiB.
const maxContent = 256 << 20

// Inspector finds what the assets of Metroid Prime and Donkey Kong Country
// Returns refer to, where the layout of a type is known: references of kind
// "parsed" in [Asset]. FORMAT.md says which types those are. For
// the others see [Scan].
func Inspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     inspectorName,
		Doc:      "assets of Metroid Prime and Donkey Kong Country Returns: references between them, texts",
		Spec:     spec,
		Revision: 3,
		Match:    func(e *codecs.Entry, _ []byte) bool { return isAsset(e) },
		Symbols:  symbols,
		Inspect:  inspect,
	}
}

// symbols returns the asset's own id, whatever its content.
func symbols(e *codecs.Entry) []codecs.Symbol {
	if !isAsset(e) {
		return nil
	}
	return []codecs.Symbol{{Space: Asset, ID: e.ID}}
}

// isAsset reports whether e comes from a pak with ids of 32 or 64 bits: no
// other format names entries so.
func isAsset(e *codecs.Entry) bool {
	var fourCC [4]byte
	return (e.ID.Bits == 32 || e.ID.Bits == 64) && len(e.Type) == 4 &&
		copy(fourCC[:], e.Type) == 4 && e.Name == entryName(fourCC, e.ID)
}

// extractor reads the references of one type. It leaves an incomplete mark
// where it does not know a version.
type extractor func(*references)

// extractorOf returns what reads a type, or nil.
func extractorOf(typ string) extractor {
	switch typ {
	case "TXTR", "CSKR", "CINF", "ANIM", "STRG":
		return leaf
	case "DGRP":
		return group
	case "MAPW":
		return mapWorld
	case "MLVL":
		return world
	case "CMDL":
		return model
	case "SCAN":
		return scannable
	}
	return nil
}

func inspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	detail := &Facts{}
	facts := &codecs.Facts{Kind: "retro-" + strings.ToLower(strings.TrimSpace(e.Type)), Detail: detail}
	defer func() { facts.Scan = Scan(e, facts) }()
	read := extractorOf(e.Type)
	if read == nil {
		return facts, nil
	}
	buf, err := bin.Section(content, 0, size, size, maxContent)
	if err != nil {
		return nil, inspectError(e, "content", err)
	}
	x := &references{r: bin.NewReader(buf, 0, binary.BigEndian), bits: e.ID.Bits, complete: true, seen: map[target]bool{}}
	read(x)
	detail.Complete = x.complete
	if err := x.failure(); err != nil {
		facts.Problems = append(facts.Problems, inspectError(e, x.field, err))
		detail.Complete = false
	}
	facts.Refs, detail.Types = x.refs, x.types
	if e.Type == "STRG" {
		if detail.Texts, err = ReadTexts(buf); err != nil {
			facts.Problems = append(facts.Problems, inspectError(e, "texts", err))
		}
	}
	return facts, nil
}

// inspectError leaves an error of the archive that the content is read from as
// it is.
func inspectError(e *codecs.Entry, field string, err error) *codecs.FormatError {
	var known *codecs.FormatError
	if errors.As(err, &known) {
		return known
	}
	fe := failure("", e.Name, field, -1, err)
	fe.Format = inspectorName
	return fe
}

// target is a reference without its kind.
type target struct {
	typ string
	id  uint64
}

// references collects what one content refers to, each target once, in the
// order of the content.
type references struct {
	r        *bin.Reader
	bits     uint8
	field    string // what is being read, for errors
	err      error
	complete bool
	refs     []codecs.Ref
	types    []string
	seen     map[target]bool
}

func (x *references) failure() error {
	if x.err != nil {
		return x.err
	}
	return x.r.Err()
}

// idBytes returns the width of ids.
func (x *references) idBytes() int { return int(x.bits / 8) }

// id reads an id.
func (x *references) id() uint64 {
	if x.bits == 32 {
		return uint64(x.r.U32())
	}
	return x.r.U64()
}

// ref reads an id of an asset of that type.
func (x *references) ref(typ string) { x.add(typ, x.id()) }

// add adds a reference unless it is there already, or means none.
func (x *references) add(typ string, id uint64) {
	t := target{typ, id}
	if x.r.Err() != nil || isNone(id, x.bits) || x.seen[t] {
		return
	}
	x.seen[t] = true
	ref := codecs.Ref{Kind: "parsed", Space: Asset, ID: codecs.ID64(id)}
	if x.bits == 32 {
		ref.ID = codecs.ID32(uint32(id))
	}
	x.refs = append(x.refs, ref)
	x.types = append(x.types, typ)
}

// isNone reports whether an id means no asset: zero and all ones.
func isNone(id uint64, bits uint8) bool { return id == 0 || id == 1<<bits-1 }

// fourCC reads a type.
func (x *references) fourCC() string { return string(x.r.Bytes(4)) }

// in names what is read next, unless something has failed before.
func (x *references) in(field string) {
	if x.failure() == nil {
		x.field = field
	}
}

// skipList passes over a count and that many elements of size bytes.
func (x *references) skipList(size int) { x.r.Skip(x.r.Count(size) * size) }

// magic reads a word that must be want.
func (x *references) magic(want uint32) bool {
	x.in("magic")
	got := x.r.U32()
	if got != want && x.failure() == nil {
		x.err = &atField{"magic", 0, codecs.Errorf(codecs.ErrCorrupt, "%08x, not %08x", got, want)}
	}
	return x.failure() == nil
}

// Asset is the space of the asset ids of Retro Studios' games. An entry means
// its own [codecs.Entry.ID] there, so inspectors define no symbols: the same
// content may be stored under several ids.
const Asset codecs.Space = "retro-asset"

// Facts is the [codecs.Facts.Detail] of an asset of Retro Studios' games.
type Facts struct {
	// Types are the FourCCs that the targets of Facts.Refs must have, one for
	// each.
	Types []string
	// Complete says that Facts.Refs holds every reference there is, so that
	// scanning for ids would only add chance hits.
	Complete bool
	Texts    *Texts // of an asset of type STRG
}

// RefType returns the FourCC that the target of a reference must have, "" if none is known.
func (f *Facts) RefType(i int) string {
	if i < len(f.Types) {
		return f.Types[i]
	}
	return ""
}

// Texts are what players read, in several languages.
type Texts struct {
	Languages []string // "ENGL"
	Texts     []string
	Strings   []String
}

// String is a text in a language. Language, Name and Text are positions in the lists.
type String struct {
	Language int32
	Number   int32 // of the text in the asset, from 0
	Name     int32 // -1: it has none
	Text     int32
}

var stringRows = family.NewTable("retro_string", "seq",
	family.WordColumn("language_id", func(s *String) int32 { return s.Language }),
	family.ValueColumn("number", func(s *String) any { return int64(s.Number) }),
	family.TextColumn("key_id", func(s *String) int32 { return s.Name }),
	family.TextColumn("text_id", func(s *String) int32 { return s.Text }))

// Batch lists the texts; nil if there are none.
func (f *Facts) Batch() *family.Batch {
	if f.Texts == nil {
		return nil
	}
	return &family.Batch{Words: f.Texts.Languages, Texts: f.Texts.Texts, Rows: []family.Rows{stringRows.Rows(f.Texts.Strings...)}}
}
