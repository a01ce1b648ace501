// Package descriptor reads what plugins and projects of Unreal Engine say of themselves:
// .uplugin, .uproject, .upluginmanifest. See FORMAT.md.
package descriptor
