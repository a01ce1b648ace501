package mods_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/mods"
	"pakdb/internal/testkit"
)

// Damaged packages are refused, or changed as asked: nothing panics.
func TestHostile(t *testing.T) {
	all := samples(t)
	r := rand.New(rand.NewPCG(3, 4))
	opened, changed := 0, 0
	for range testkit.Of(200, 2000) {
		s := &all[r.IntN(len(all))]
		asset, uexp := bytes.Clone(s.asset), bytes.Clone(s.uexp)
		for range 1 + r.IntN(4) {
			b := asset
			if len(uexp) > 0 && r.IntN(2) == 0 {
				b = uexp
			}
			switch at := r.IntN(len(b)); r.IntN(3) {
			case 0:
				b[at] = byte(r.Uint32())
			case 1:
				b[at] ^= 1 << r.IntN(8)
			default:
				copy(b[at:], []byte{0xFF, 0xFF, 0xFF, byte(r.Uint32())})
			}
		}
		var p *mods.Package
		var err error
		if s.zen {
			p, err = mods.OpenZen(asset, s.globals, s.options)
		} else {
			p, err = mods.Open(context.Background(), asset, uexp, s.options)
		}
		if err != nil || len(p.Objects()) == 0 {
			continue
		}
		opened++
		i := r.IntN(len(p.Objects()))
		d, err := p.Draft(i)
		if err != nil {
			continue
		}
		var paths []string
		for path := range p.Decoder().Walk(d.List()) {
			paths = append(paths, string(path))
		}
		if len(paths) == 0 {
			continue
		}
		if _, _, err := oneEdit(r, p, d, i, paths[r.IntN(len(paths))]); err != nil {
			continue
		}
		_ = p.Set(fmt.Sprint("#", i), paths[r.IntN(len(paths))], "PakdbNew")
		if _, _, err := p.Files(context.Background()); err == nil {
			changed++
		}
	}
	if changed == 0 {
		t.Errorf("%d opened, none changed", opened)
	}
	t.Logf("%d opened, %d changed", opened, changed)
}
