package schema

// ScriptObject is an object of a game's program.
type ScriptObject struct {
	ID   int64
	Path string

	nameID int64
}

// ContainerPackage is a package that a container lists.
type ContainerPackage struct {
	ID       int64
	Shaders  int64
	Optional bool
}

// ContainerImport says that a container's package needs another.
type ContainerImport struct {
	Package, Import int64 // ids
	Soft            bool
}

// Container is what the header of an IoStore container lists.
type Container struct {
	Packages []ContainerPackage
	Imports  []ContainerImport
}
