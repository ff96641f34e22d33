// What the Machine Config Operator of OpenShift 4.18 was built with: the last MachineConfiguration whose operator does not say which
// machine sets it manages. Its CRD is read here, and nothing is built. (There is no Go file, so that `go mod tidy` would leave
// nothing of this.)
module drydock/testenv/openshift-4.18

go 1.26.0

require github.com/openshift/api v0.0.0-20250102185430-d6d8306a24ec
