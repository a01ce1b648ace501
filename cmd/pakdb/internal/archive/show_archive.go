package archive

import (
	"fmt"
	"maps"
	"slices"

	"pakdb/codecs"
)

// treeOfArchive returns what an archive is: format, counts, how it is compressed, and how a
// game mounts it. size is that of its file.
func treeOfArchive(ar codecs.Archive, format *codecs.Format, size int64) *codecs.Node {
	info := ar.Info()
	root := &codecs.Node{Value: "archive"}
	root.Add("format", info.Format)
	root.AddText("version", info.Version)
	root.Add("file_size", size)
	c := countEntries(ar)
	entries := root.Add("entries", c.entries)
	entries.AddCount("deleted", c.deleted)
	entries.AddCount("encrypted", c.encrypted)
	root.Add("size", c.size)
	root.Add("stored", c.stored)
	c.tally(root, "methods", c.methods)
	c.tally(root, "types", c.types)
	describeMounting(root, info, format.Mounts())
	for _, d := range info.Details {
		root.Add(d.Name, d.Value)
	}
	for _, w := range info.Warnings {
		root.Add("problem", w.Error())
	}
	for _, err := range c.problems {
		root.Add("problem", err.Error())
	}
	return root
}

// entryCounts is what the entries of an archive add up to.
type entryCounts struct {
	entries, size, stored int64
	deleted, encrypted    int
	methods, types        map[string]int64
	problems              []error
}

func countEntries(ar codecs.Archive) *entryCounts {
	c := &entryCounts{methods: map[string]int64{}, types: map[string]int64{}}
	for e, err := range ar.Entries() {
		if err != nil {
			c.problems = append(c.problems, err)
		}
		if e == nil {
			continue
		}
		c.entries++
		if e.Flags&codecs.Deleted != 0 {
			c.deleted++
			continue
		}
		if e.Flags&codecs.Encrypted != 0 {
			c.encrypted++
		}
		c.size, c.stored = c.size+e.Size, c.stored+e.Stored
		c.methods[e.Method.String()]++
		if e.Type != "" {
			c.types[e.Type]++
		}
	}
	return c
}

// tally adds how many entries have each of some values.
func (c *entryCounts) tally(root *codecs.Node, name string, of map[string]int64) {
	if len(of) == 0 {
		return
	}
	list := root.Add(name, nil)
	for _, value := range slices.Sorted(maps.Keys(of)) {
		list.Add(value, of[value])
	}
}

func describeMounting(root *codecs.Node, info codecs.Info, m codecs.Mounting) {
	mounts := root.Add("mounting", nil)
	mounts.AddText("mount_point", info.MountPoint)
	rule := "by place in the build: the first archive wins"
	switch {
	case m.Order != nil && m.FirstByName:
		rule = "by its name's order, then the first by name wins"
	case m.Order != nil:
		rule = "by its name's order, then the last by name wins"
	}
	mounts.Add("order", rule)
	which := "first"
	if m.LastEntry {
		which = "last"
	}
	mounts.Add("of entries of one name", fmt.Sprintf("the %s counts", which))
	if m.By != "" {
		mounts.Add("only beside", m.By)
	}
}
