// Package syntax reads TLA+ modules and configurations of TLC.
package syntax
