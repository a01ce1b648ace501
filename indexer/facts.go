package indexer

import (
	"fmt"

	"pakdb/codecs"
	"pakdb/schema"
)

// factsOf translates facts into rows. err is why there are none.
func factsOf(in *codecs.Inspector, facts *codecs.Facts, err error) *schema.Facts {
	out := &schema.Facts{Inspector: fmt.Sprintf("%s/%d", in.Name, in.Revision), Kind: in.Name}
	if err != nil {
		out.Problems = append(out.Problems, problem(nil, err))
	}
	if facts == nil {
		return out
	}
	if facts.Kind != "" {
		out.Kind = facts.Kind
	}
	for _, p := range facts.Problems {
		out.Problems = append(out.Problems, problem(nil, p))
	}
	out.Symbols = symbolRows(facts.Symbols)
	out.Refs = make([]schema.Ref, len(facts.Refs))
	for i, r := range facts.Refs {
		out.Refs[i] = schema.Ref{Kind: r.Kind, Space: string(r.Space), Key: int64(r.ID.Lo), Flags: int64(r.Flags)}
	}
	if facts.Scan != nil {
		out.Scan = specText(facts.Scan)
	}
	if detail, ok := facts.Detail.(*codecs.CalligraphyFacts); ok {
		out.Calligraphy = calligraphyRows(detail)
	}
	return out
}

func symbolRows(symbols []codecs.Symbol) []schema.Symbol {
	rows := make([]schema.Symbol, len(symbols))
	for i, s := range symbols {
		rows[i] = schema.Symbol{Space: string(s.Space), Key: int64(s.ID.Lo), Path: s.Path}
	}
	return rows
}

// addEntrySymbols adds what the entry defines whatever its content.
func (s *scan) addEntrySymbols(e *codecs.Entry, row *schema.Entry) {
	if e.Name == "" {
		return
	}
	for _, in := range s.o.Registry.Inspectors {
		if in.Symbols == nil {
			continue
		}
		if symbols := in.Symbols(e); len(symbols) > 0 {
			row.Symbols = append(row.Symbols, symbolRows(symbols)...)
		}
	}
}
