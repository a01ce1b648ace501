// Package house holds no code: its tests check what go vet does not know about this
// module. Imports between the top folders point one way; nothing runs before main or
// panics; exported names, formats, modules and licences are documented; links in
// documents lead somewhere.
package house
