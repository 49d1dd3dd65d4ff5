//go:build !linux

package store

// onLargePages does nothing where the system takes no such advice.
func onLargePages[T any]([]T) {}
