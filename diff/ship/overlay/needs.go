package overlay

import (
	"path"
	"strings"

	"pakdb/internal/asset"
)

// draw chooses the changes that chosen ones newly need: files that the old build
// has not, and those that an asset refers to which did not do so before. What
// those need comes along as well.
func (s *selection) draw(b *bundles) error {
	byName := map[string]int{}
	var queue []int
	for i := range s.changed {
		it := &s.changed[i]
		if it.New == nil {
			continue
		}
		byName[strings.ToLower(it.New.Name)] = i
		if s.chosen[it.Key()] || b.wants(it) {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		from := &s.changed[queue[0]]
		fresh, err := s.newNeeds(from)
		if err != nil {
			return err
		}
		for name, newly := range fresh {
			i, ok := byName[name]
			if !ok || s.chosen[s.changed[i].Key()] || !newly && s.changed[i].Action != Add {
				continue
			}
			it := &s.changed[i]
			s.chosen[it.Key()] = true
			it.Reason += ", needed by " + path.Base(from.Path)
			queue = append(queue, s.drawn(i)...)
		}
	}
	return nil
}

// drawn are the changes of an asset that a need has chosen one of: the file that
// holds the references may be another one.
func (s *selection) drawn(i int) (all []int) {
	of := asset.Of(s.changed[i].Path)
	if of == "" {
		return []int{i}
	}
	for n := range s.changed {
		if s.changed[n].New != nil && asset.Of(s.changed[n].Path) == of {
			all = append(all, n)
		}
	}
	return all
}

// newNeeds returns the names, in lower case, of what a file of the new build
// refers to, and whether it did not do so in the old one.
func (s *selection) newNeeds(it *Item) (map[string]bool, error) {
	names, err := s.p.options.Needs(it.New.Name, false)
	if err != nil {
		return nil, err
	}
	fresh := make(map[string]bool, len(names))
	for _, name := range names {
		fresh[strings.ToLower(name)] = true
	}
	if it.Old == nil {
		return fresh, nil
	}
	before, err := s.p.options.Needs(it.Old.Name, true)
	for _, name := range before {
		if _, ok := fresh[strings.ToLower(name)]; ok {
			fresh[strings.ToLower(name)] = false
		}
	}
	return fresh, err
}
