import type { JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import type { Others } from '../resources'
import { isObject } from '../schema'
import type { Cause } from '../status'
import { at, invalid, version, versioned } from './causes'

const PATH = 'spec.topology.version'
const CONTROL_PLANES = 'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io'
const NAME = 'cluster.x-k8s.io/cluster-name'
const OWNED = 'topology.cluster.x-k8s.io/owned'
const PENDING = 'runtime.cluster.x-k8s.io/pending-hooks'
const DEPLOYMENT = 'cluster.x-k8s.io/deployment-name'

const plain = (text: string): string => text.replace(/^v/, '')
const numbers = (text: string): number[] => (/^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number)

/** Negative, zero or positive, by the numbers alone. */
function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  return left.map((n, i) => n - (right[i] ?? 0)).find((n) => n !== 0) ?? 0
}

/** Whoever sets it answers for every version. */
const UNSAFE = 'unsafe.topology.cluster.x-k8s.io/disable-update-version-check'

/** Of a Cluster's topology, what its version may become: never less, one minor version more, and not in mid upgrade. */
export function cluster(object: SandboxObject, old: SandboxObject | undefined, others: Others): Cause[] {
  const [now, before] = [at(object, PATH), at(old, PATH)]
  const bad = version(PATH, now)
  if (bad.length || !old || typeof now !== 'string' || typeof before !== 'string' || now === before) return bad
  if (object.metadata.annotations?.[UNSAFE] !== undefined) return []
  const words = (how: string) => `version cannot be ${how} from "${plain(before)}" to "${plain(now)}"`
  if (compare(now, before) < 0) return [invalid(PATH, now, words('decreased'))]
  const [to, from] = [numbers(now), numbers(before)]
  if (to[0]! > from[0]! || to[1]! - from[1]! > 1) return [invalid(PATH, now, words('increased'))]
  if ((object.metadata.annotations?.[PENDING] ?? '').split(',').includes('AfterClusterUpgrade'))
    return [invalid(PATH, now, 'version cannot be changed when the "AfterClusterUpgrade" hook is still blocking')]
  const busy = [...controlPlaneBusy(old, before, others), ...deploymentsBusy(old, before, others)]
  if (busy.length === 0) return []
  const why = busy.length === 1 ? busy[0]! : `[${busy.join(', ')}]`
  return [invalid(PATH, now, `version cannot be changed: ${why}`)]
}

function controlPlaneBusy(cluster: SandboxObject, wanted: string, others: Others): string[] {
  const name = at(cluster, 'spec.controlPlaneRef.name')
  const found = others(CONTROL_PLANES, cluster.metadata.namespace).find((one) => one.metadata.name === name)
  if (!found) return []
  const own = String(at(found, 'spec.version'))
  if (plain(own) !== plain(wanted))
    return [
      `Cluster.spec.topology.version ${plain(wanted)} was not propagated to control plane yet (control plane version ${plain(own)})`,
    ]
  const versions = (at(found, 'status.versions') ?? []) as { version: string }[]
  const status = at(found, 'status.version')
  if (versions.length === 0 && !status) return ['control plane is currently provisioning']
  const behind = versions.length > 0 ? versions.map((one) => one.version) : [String(status)]
  return behind.some((one) => compare(own, one) > 0) ? ['control plane is still completing a previous upgrade'] : []
}

function deploymentsBusy(cluster: SandboxObject, wanted: string, others: Others): string[] {
  const { namespace, name } = cluster.metadata
  const versionOf = (object: SandboxObject, path: string) => plain(String(at(object, path)))
  const busy = others('machinedeployments.cluster.x-k8s.io', namespace)
    .filter(({ metadata: { labels = {} } }) => labels[NAME] === name && OWNED in labels)
    .filter((deployment) => {
      const own = versionOf(deployment, 'spec.template.spec.version')
      const machines = others('machines.cluster.x-k8s.io', namespace).filter(
        ({ metadata: { labels = {} } }) => labels[NAME] === name && labels[DEPLOYMENT] === deployment.metadata.name,
      )
      return own !== plain(wanted) || machines.some((machine) => versionOf(machine, 'spec.version') !== own)
    })
  if (busy.length === 0) return []
  const names = busy.map(({ metadata }) => metadata.name).join(', ')
  return [`there are still MachineDeployments completing a previous upgrade: [${names}]`]
}

/** As the defaulting webhook: with the "v" in front. */
export function defaultCluster(object: SandboxObject): SandboxObject {
  const topology = at(object, 'spec.topology')
  if (!isObject(topology) || topology.version === undefined) return object
  return { ...object, spec: { ...object.spec, topology: versioned(topology as JsonObject) } }
}
