// Package migrations brings a catalog to the newest version. Each script is run once,
// in the order of their names; scripts that were released are never edited.
package migrations
