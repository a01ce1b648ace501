package update

import (
	"path"

	"pakdb/diff/ship/store"
)

// addLeft takes in what an earlier try left in the folder of work: what this one
// fetches or makes as well is not needed twice, the rest will be removed.
func (p *Plan) addLeft(d *disk) {
	useful := map[string]int64{}
	for i := range p.Ranges {
		useful[path.Base(p.Ranges[i].work())] = p.Ranges[i].Size
	}
	for i := range p.Patches {
		useful[path.Base(p.Patches[i].work())] = p.Patches[i].Size
	}
	for i := range p.Files {
		useful[path.Base(workOf(&p.Files[i]))] = p.Files[i].Size
	}
	d.eachLeft(func(name string, size int64) {
		if name == path.Base(emptiedName) {
			return // the folders that are to be removed, if they are empty
		}
		if most, ok := useful[name]; ok && size <= most {
			p.Bill.Reused = store.SumSizes(p.Bill.Reused, size)
			return
		}
		p.Bill.Stale = store.SumSizes(p.Bill.Stale, size)
		p.Stale = append(p.Stale, name)
	})
}
