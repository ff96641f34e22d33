import { conditionOf } from '../skew/types'
import { formOf, gatedVersion, judgeGates, stops } from './gates'
import type { BlockerSource, Form, Gate, UpgradeFacts } from './types'
import { wordsOf } from './version-words'

/** One thing that the Cluster Version Operator finds against updates to another minor version. */
export interface Finding {
  source: BlockerSource
  item: string
  reason: string
  message: string
  since: string | null
}

/**
 * What the Cluster Version Operator of a release finds in a cluster, in the order of its checks. Running deletions of a release's own
 * objects are known to it alone. Sources: pkg/cvo/upgradeable.go (up to 4.22), pkg/risk (from 4.23 on).
 */
export function findings(facts: UpgradeFacts, form: Form = formOf(facts.desired)): Finding[] {
  const words = wordsOf(facts.desired)
  const overridden = facts.overrides.some((o) => o.unmanaged)
  const progressing = conditionOf(facts.conditions ?? [], 'Progressing')
  const updating: Finding[] =
    progressing?.status === 'True' && words.updating
      ? [
          {
            source: 'updating',
            item: '',
            reason: form === 'risks' ? 'ClusterVersionUpdating' : 'UpdateInProgress',
            message: words.updating,
            since: progressing.lastTransitionTime ?? null,
          },
        ]
      : []
  const overrides: Finding[] = overridden
    ? [
        {
          source: 'overrides',
          item: '',
          reason: form === 'risks' ? 'ClusterVersionOverrides' : 'ClusterVersionOverridesSet',
          message: words.overrides,
          since: null,
        },
      ]
    : []
  const operators = facts.operators
    .filter((o) => o.upgradeable?.status === 'False')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, upgradeable }): Finding => ({
      source: 'operator',
      item: name,
      reason: upgradeable?.reason ?? '',
      message: upgradeable?.message ?? '',
      since: upgradeable?.lastTransitionTime ?? null,
    }))
  const gates = gateFindings(facts, form)
  return form === 'risks'
    ? [...updating, ...overrides, ...gates, ...operators]
    : [...overrides, ...gates, ...operators, ...updating]
}

function gateFindings(facts: UpgradeFacts, form: Form): Finding[] {
  if (form === 'conditions' && gatedVersion(form, facts.history, facts.desired) === null) return []
  for (const [which, data] of [
    ['admin-gates', facts.gates],
    ['admin-acks', facts.acks],
  ] as const)
    if (data === null) return [missing(which, form)]
  return judgeGates(form, facts)
    .filter((gate) => stops(gate.state))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((gate) => ({ source: 'gate', item: gate.name, since: null, ...gateWords(gate, form) }))
}

const NAMESPACES = { 'admin-gates': 'openshift-config-managed', 'admin-acks': 'openshift-config' }

const missing = (which: keyof typeof NAMESPACES, form: Form): Finding => ({
  source: 'gates',
  item: which,
  since: null,
  ...(form === 'risks'
    ? {
        reason: 'AdminAckUnknown',
        message: `Failed to retrieve ConfigMap ${which} from namespace ${NAMESPACES[which]}: configmap "${which}" not found`,
      }
    : {
        reason: which === 'admin-gates' ? 'UnableToAccessAdminGatesConfigMap' : 'UnableToAccessAdminAcksConfigMap',
        message: `${which} configmap not found.`,
      }),
})

function gateWords(gate: Gate, form: Form): { reason: string; message: string } {
  const risk = `AdminAck-${gate.name}`
  if (gate.state === 'malformed') {
    const format = form === 'risks' ? '^ack-([4-5][.][0-9]{1,})-[^-]' : '^ack-[4-5][.]([0-9]{1,})-[^-]'
    const words = `admin-gates configmap gate name ${gate.name} has invalid format; must comply with "${format}"`
    return form === 'risks'
      ? { reason: risk, message: `admin-gates configmap gate "${gate.name}" is invalid: ${words}` }
      : { reason: 'AdminAckConfigMapGateNameError', message: words }
  }
  if (gate.state === 'empty')
    return {
      reason: form === 'risks' ? risk : 'AdminAckConfigMapGateValueError',
      message: `admin-gates configmap gate ${gate.name} must contain a non-empty value.`,
    }
  return { reason: form === 'risks' ? risk : 'AdminAckRequired', message: gate.text }
}
