package update

import (
	"bytes"

	"pakdb/diff/ship/store"
)

// parts are what a folder wants of a build.
type parts struct {
	install store.Install // what the folder is to remember
	before  []byte        // what it remembers
	tell    []PartUse
	gone    []string     // parts that it was told of, and that the build has not
	left    []store.File // files of the build that it does without
}

// chooseParts takes the files that a folder does without from those of a build, and returns the
// build without them. From then on they are like files that only other builds have.
func chooseParts(dir string, all *store.Build, by store.PartChoice, mem *store.Budget) (p *parts, b *store.Build, err error) {
	p = &parts{}
	if p.install, err = store.ReadInstall(dir); err != nil {
		return nil, nil, err
	}
	p.before = p.install.Marshal()
	if p.install.PartChoice, err = p.install.Change(by, all.Parts); err != nil {
		return nil, nil, err
	}
	p.gone = p.install.Gone(all.Parts)
	for _, one := range all.Parts {
		use := PartUse{Name: one.Name, Wanted: p.install.Wants(one.Name)}
		one.Each(func(i int) { use.Files++; use.Size += all.Files[i].Size })
		p.tell = append(p.tell, use)
	}
	if len(all.Parts) == 0 {
		return p, all, nil
	}
	if err := mem.Take(store.HeldFile * int64(len(all.Files))); err != nil {
		return nil, nil, err
	}
	some := *all // the target's has all files
	some.Files = nil
	for i, without := range all.Parts.LeftOut(len(all.Files), p.install.PartChoice) {
		if without {
			p.left = append(p.left, all.Files[i])
		} else {
			some.Files = append(some.Files, all.Files[i])
		}
	}
	return p, &some, nil
}

// remember writes down what the folder follows and wants, if that is something new.
func (p *parts) remember(d *disk, follow *store.Follower) error {
	in := p.install
	follow.Remember(&in)
	b := in.Marshal()
	if bytes.Equal(b, p.before) {
		return nil
	}
	return d.out.Replace(store.InstallName, b)
}
