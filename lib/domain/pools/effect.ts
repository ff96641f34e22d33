import type { ConfigChange } from './config-diff'

/** What taking a config up does to a node. `reload`: of CRI-O, drained only where images may be pulled from elsewhere. */
export type Effect = 'none' | 'services' | 'reload' | 'drain' | 'reboot'

/** `sure`: by the policies of the cluster. Not sure: by what holds where there are none. */
export interface NodeEffect {
  does: Effect
  sure: boolean
}

/** MachineConfiguration/cluster, status.nodeDisruptionPolicyStatus: what the daemon does for what, the operator's defaults among it. */
export interface DisruptionPolicies {
  files: { path: string; actions: string[] }[]
  units: { name: string; actions: string[] }[]
  sshKey: string[]
}

/** The least disruptive first; services are reloaded or restarted in between. */
const WORST = ['None', 'DaemonReload', 'Reload', 'Restart', 'Special', 'Drain', 'Reboot']

/**
 * What taking changes up does to a node (calculatePostConfigChangeNodeDisruptionAction, pkg/daemon/update.go): what no policy names is a
 * reboot. `policies` null: the cluster has none, or they could not be read.
 */
export function effectOf(changes: readonly ConfigChange[], policies: DisruptionPolicies | null = null): string {
  const known = changes.filter(({ part }) => part !== 'other')
  const words = known.length > 0 ? disruption(worst(known, policies), policies !== null) : ''
  if (known.length < changes.length)
    return `${words} Something differs that is not compared: a node may refuse it, and whether it is rebooted for it is not known.`.trim()
  return words || 'Nothing differs in what is compared; the operator has made the config anew.'
}

/** The same in one word; null: something differs of which that is not known. */
export function nodeEffect(changes: readonly ConfigChange[], policies: DisruptionPolicies | null): NodeEffect | null {
  if (changes.some(({ part }) => part === 'other')) return null
  return { does: WORDS[worst(changes, policies)] ?? 'services', sure: policies !== null }
}

const WORDS: Record<string, Effect> = { None: 'none', Special: 'reload', Drain: 'drain', Reboot: 'reboot' }

function worst(changes: readonly ConfigChange[], policies: DisruptionPolicies | null): string {
  const actions = changes.flatMap((change) => byPolicy(change, policies ?? DEFAULTS))
  // One that is not known counts as the worst.
  const rank = (action: string) => (WORST.includes(action) ? WORST.indexOf(action) : WORST.length - 1)
  return WORST[Math.max(0, ...actions.map(rank))]!
}

const REBOOT = ['Reboot']

const each = (action: string, ...paths: string[]): DisruptionPolicies['files'] =>
  paths.map((path) => ({ path, actions: [action] }))

/** The operator's own policies (defaultClusterPolicies, pkg/apihelpers), and what daemons without any take up quietly (calculatePostConfigChangeActionFromMCDiffs). What only newer ones do quietly is none of them: they err to a reboot. */
const DEFAULTS: DisruptionPolicies = {
  files: [
    ...each('None', '/var/lib/kubelet/config.json', '/etc/nmstate/openshift'),
    ...each('None', '/etc/kubernetes/kubelet-ca.crt', '/etc/mco/internal-registry-pull-secret.json'),
    ...each('Reload', '/etc/machine-config-daemon/no-reboot/containers-gpg.pub', '/etc/containers/policy.json'),
    ...each('Reload', '/etc/containers/registries.d', '/etc/crio/policies'),
    ...each('Restart', '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'),
    ...each('Special', '/etc/containers/registries.conf'),
  ],
  units: [],
  sshKey: ['None'],
}

function byPolicy({ part, name }: ConfigChange, { files, units, sshKey }: DisruptionPolicies): string[] {
  if (part === 'user') return sshKey
  if (part === 'unit') return units.find((unit) => unit.name === name)?.actions ?? REBOOT
  // Taken from only when extensions or another kernel are installed, which is a change of its own (newMachineConfigDiff).
  if (part === 'value' && name === 'baseOSExtensionsContainerImage') return ['None']
  if (part !== 'file') return REBOOT
  // The longest path that is the file's, or that of a folder it is in.
  const matching = files.filter(({ path }) => name === path || name.startsWith(`${path.replace(/\/+$/, '')}/`))
  const closest = matching.reduce<(typeof files)[number] | null>(
    (best, next) => (best && best.path.length >= next.path.length ? best : next),
    null,
  )
  return closest?.actions ?? REBOOT
}

const DOES: Record<string, string> = {
  None: 'a node takes this up without drain and reboot',
  Special: 'a node takes this up by reloading CRI-O, drained only where images may be pulled from elsewhere',
  Drain: 'a node that takes this up is drained, and not rebooted',
  Reboot: 'a node that takes this up is drained and rebooted',
}
const SERVICES = 'a node takes this up by reloading or restarting services, without drain and reboot'

function disruption(action: string, known: boolean): string {
  const does = DOES[action] ?? SERVICES
  if (known) return `${does[0]!.toUpperCase()}${does.slice(1)}.`
  return `By default ${does}; whether a node disruption policy of this cluster says otherwise is not known.`
}
