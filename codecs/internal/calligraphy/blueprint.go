package calligraphy

import (
	"pakdb/codecs"
)

const (
	linkSize  = 8 + 1
	minMember = 8 + 2 + 1 + 1
)

func (d *decoder) blueprint() {
	d.text = string(d.buf)
	b := &Blueprint{}
	d.detail.Blueprint = b
	d.at("runtime_class", 0)
	b.RuntimeClass = d.str()
	d.at("default", 0)
	b.Default = d.r.U64()
	d.ref("default", SpacePrototype, b.Default)
	b.Parents = d.links("blueprint_parent")
	b.Contributing = d.links("contributing")
	b.Members = d.members()
}

func (d *decoder) links(kind string) []Link {
	d.at(kind, 0)
	n := d.r.Count16(linkSize)
	if n == 0 {
		return nil
	}
	links := make([]Link, n)
	for i := range links {
		links[i] = Link{Blueprint: d.r.U64(), Copies: d.r.U8()}
		d.ref(kind, SpaceBlueprint, links[i].Blueprint)
	}
	return links
}

func (d *decoder) members() []Member {
	d.at("members", 0)
	n := d.r.Count16(minMember)
	members := make([]Member, 0, n)
	for i := range n {
		d.at("members", i)
		m := d.member()
		if d.r.Err() != nil {
			break
		}
		members = append(members, m)
	}
	return members
}

func (d *decoder) member() Member {
	m := Member{ID: d.r.U64(), Name: d.str()}
	m.Type = d.fieldType()
	m.Structure = d.r.U8()
	if m.Structure != simple && m.Structure != list {
		d.fail(1, codecs.Errorf(codecs.ErrCorrupt, "structure %q", m.Structure))
	}
	switch m.Type {
	case 'A':
		m.Subtype = d.subtype(SpaceAssetType)
	case 'P', 'R':
		m.Subtype = d.subtype(SpaceBlueprint)
	case 'C':
		m.Subtype = d.r.U64() // 0 wherever it was seen: what it would point at is not known
	}
	return m
}

func (d *decoder) subtype(space codecs.Space) uint64 {
	id := d.r.U64()
	d.ref("subtype", space, id)
	return id
}
