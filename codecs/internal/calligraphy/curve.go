package calligraphy

import (
	"pakdb/codecs"
)

func (d *decoder) curve() {
	d.at("positions", 0)
	start, end := d.r.I32(), d.r.I32()
	if int64(end) < int64(start)-1 {
		d.fail(4, codecs.Errorf(codecs.ErrCorrupt, "last position %d, first %d", end, start))
	}
	d.at("values", 0)
	n := d.r.CheckCount(int64(end)-int64(start)+1, 8)
	if d.r.Err() != nil {
		return
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = d.r.F64()
	}
	d.detail.Curve = &Curve{Start: start, Values: values}
}

const minAsset = 8 + 8 + 1 + 2

// assetType reads a .type, whose assets are known by id all over the database.
func (d *decoder) assetType() {
	d.text = string(d.buf)
	d.at("count", 0)
	n := d.r.Count16(minAsset)
	assets := make([]Asset, 0, n)
	symbols := make([]codecs.Symbol, 0, n)
	for i := range n {
		d.at("assets", i)
		a := Asset{ID: d.r.U64(), GUID: d.r.U64(), Flags: d.r.U8(), Name: d.str()}
		if d.r.Err() != nil {
			break
		}
		assets = append(assets, a)
		symbols = define(symbols, SpaceAsset, a.ID, "")
	}
	d.detail.Assets, d.facts.Symbols = assets, symbols
}
