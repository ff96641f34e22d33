/** Most that is said of rendering names no MachineConfig, or only the rendered one. */
const NAMED = [
  /^reconciliation failed between current config "[^"]*" and base config "([^"]+)"/,
  /; component errors: new machineconfig "[^"]*" is not reconcilable against "([^"]+)"/,
  /; component errors: (?:parsing|validating) new Ignition config from machineconfig "([^"]+)"/,
  /^cannot find label in MachineConfig (\S+)$/,
]

/** Made by the operator, of its templates, of KubeletConfigs and the like (older ones with the pool's id), and for its registry of release images. */
const OPERATORS = [
  /^00-(?:master|worker|arbiter)$/,
  /^01-(?:master|worker|arbiter)-(?:container-runtime|kubelet)$/,
  /^02-.+-internalreleaseimage$/,
  /^9[789]-.+-generated-/,
  /^9[789]-.+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-/,
  /^rendered-/,
]

/** What to do with the MachineConfig that is to blame; empty where none is named. */
export function namedConfigHint(why: string): string {
  const name = NAMED.map((named) => named.exec(why)?.[1]).find((found) => found !== undefined)
  if (name === undefined) return ''
  return OPERATORS.some((its) => its.test(name))
    ? ` The operator makes ${name} itself: mend what it makes it of (a KubeletConfig, a ContainerRuntimeConfig, settings of the cluster), and do not delete it.`
    : ` Mend or delete the MachineConfig ${name}; where another operator keeps it, mend what that makes it of.`
}
