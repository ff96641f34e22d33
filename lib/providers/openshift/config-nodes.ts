import type { ConfigNode } from '@/lib/domain/pools/types'
import type { KubeObject } from '@/lib/kubernetes/types'
import { items, text } from './loose'
import { readNode } from './machine'
import { conditionsOf } from './readers'

const PREFIX = 'machineconfiguration.openshift.io/'
/** What a MachineConfigNode says before the daemon has checked the config, and before its pool is known. */
const PLACEHOLDER = 'not-yet-set'

/** As its operator has it, which goes by no other (CheckNodeReady in pkg/controller/common/layered_node_state.go). */
const PRESSURE: readonly string[] = ['DiskPressure', 'NetworkUnavailable']

const named = (value: string | undefined): string | null => (value && value !== PLACEHOLDER ? value : null)

/**
 * A node as the machine config daemon has it. What it is to become stands on the Node first, and in the MachineConfigNode only after
 * the daemon has checked it.
 */
export function readConfigNode(node: KubeObject, pool: string, step: KubeObject | undefined): ConfigNode {
  const annotations = node.metadata.annotations ?? {}
  const facts = readNode(node)
  return {
    name: node.metadata.name,
    pool,
    currentConfig: annotations[`${PREFIX}currentConfig`] ?? named(text(step, 'status', 'configVersion', 'current')),
    desiredConfig:
      annotations[`${PREFIX}desiredConfig`] ??
      named(text(step, 'status', 'configVersion', 'desired')) ??
      named(text(step, 'spec', 'configVersion', 'desired')),
    currentImage: annotations[`${PREFIX}currentImage`] || null,
    desiredImage: annotations[`${PREFIX}desiredImage`] || null,
    state: facts.configState,
    reason: facts.configReason,
    draining: facts.draining,
    ready: facts.ready,
    pressure: conditionsOf(node)
      .filter(({ type, status }) => PRESSURE.includes(type) && status !== 'False')
      .map(({ type }) => type),
    schedulable: facts.schedulable,
    steps: step ? conditionsOf(step) : null,
  }
}

/** A Node without what is large and never asked for (images, volumes, addresses): kept for as long as its cluster is followed. */
export function slimNode(node: KubeObject): KubeObject {
  const { name, uid, resourceVersion, creationTimestamp, labels, annotations } = node.metadata
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(PREFIX) || key === MACHINE)
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata: { name, uid, resourceVersion, creationTimestamp, labels, annotations: Object.fromEntries(kept) },
    spec: { unschedulable: node.spec?.unschedulable ?? null },
    status: {
      conditions: items(node, 'status', 'conditions')
        .filter(({ type }) => type === 'Ready' || PRESSURE.includes(String(type)))
        .map(({ type, status }) => ({ type: type!, status: status! })),
    },
  }
}

const MACHINE = 'machine.openshift.io/machine'

/**
 * The pool that a node belongs to, as the operator chooses: master before a custom one before worker, none for Windows and where
 * two custom pools claim it (pkg/helpers GetPrimaryPoolForNode).
 */
export function poolOf(node: KubeObject, pools: readonly KubeObject[]): string | null {
  const labels = node.metadata.labels ?? {}
  if (labels['kubernetes.io/os'] === 'windows') return null
  const claiming = pools.filter((pool) => selects(pool, labels)).map(({ metadata }) => metadata.name)
  const custom = claiming.filter((name) => name !== 'master' && name !== 'worker')
  if (custom.length > 1) return null
  if (claiming.includes('master')) return 'master'
  return custom[0] ?? (claiming.includes('worker') ? 'worker' : null)
}

/** Pools select by labels, in practice by a role; an empty selector selects nothing, as in the operator. */
function selects(pool: KubeObject, labels: Record<string, string>): boolean {
  const wanted = Object.entries(
    (pool.spec?.nodeSelector as { matchLabels?: Record<string, string> } | undefined)?.matchLabels ?? {},
  )
  const expressions = items(pool, 'spec', 'nodeSelector', 'matchExpressions')
  if (wanted.length === 0 && expressions.length === 0) return false
  return wanted.every(([key, value]) => labels[key] === value) && expressions.every((e) => meets(e, labels))
}

function meets(expression: Record<string, unknown>, labels: Record<string, string>): boolean {
  const key = String(expression.key)
  const values = Array.isArray(expression.values) ? expression.values.map(String) : []
  const has = Object.hasOwn(labels, key)
  switch (expression.operator) {
    case 'In':
      return has && values.includes(labels[key]!)
    case 'NotIn':
      return !has || !values.includes(labels[key]!)
    case 'Exists':
      return has
    case 'DoesNotExist':
      return !has
    default:
      return false
  }
}
