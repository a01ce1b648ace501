package overlay

// MountFor is for the test of mount points.
var MountFor = mountFor
