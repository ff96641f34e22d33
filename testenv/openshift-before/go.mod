// The last MachineConfiguration without boot image skew enforcement: its CRD is read here, and nothing is built.
// (There is no Go file, so that `go mod tidy` would leave nothing of this.)
module drydock/testenv/openshift-before

go 1.26.0

require github.com/openshift/api v0.0.0-20251015095338-264e80a2b6e7
