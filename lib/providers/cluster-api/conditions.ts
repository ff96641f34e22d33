import { withoutSecrets } from '@/lib/domain/changes/secrets'
import type { Json } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { items, text } from '../fields'
import type { Condition } from '@/lib/domain/rows'

/** Conditions of the new style in the order in which the controllers keep them; on old objects what there is of the old style. */
export function conditionsOf(object: KubeObject): Condition[] {
  const old = object.apiVersion.endsWith('/v1beta1')
  const raw = old ? items(object.status, 'v1beta2', 'conditions') : items(object.status, 'conditions')
  if (raw.length) return raw.map(condition)
  const older = old ? items(object.status, 'conditions') : items(object.status, 'deprecated', 'v1beta1', 'conditions')
  return older.map(condition)
}

/** Whether the object has conditions of the new style: only those have the meaning that upstream documents today. */
export function hasNewConditions(object: KubeObject): boolean {
  const path = object.apiVersion.endsWith('/v1beta1') ? ['v1beta2', 'conditions'] : ['conditions']
  return items(object.status, ...path).length > 0
}

function condition(raw: Json): Condition {
  return {
    type: text(raw, 'type') ?? '',
    status: text(raw, 'status') ?? 'Unknown',
    reason: text(raw, 'reason') ?? '',
    message: withoutSecrets(text(raw, 'message') ?? ''),
    lastTransitionTime: text(raw, 'lastTransitionTime'),
  }
}

/** "* Deleting: x\n  * y" as one line of prose: "Deleting: x; y". */
export function prose(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.replace(/^[\s*]+/, '').trim())
    .filter(Boolean)
  return lines.reduce((all, line) => (all === '' ? line : all.endsWith(':') ? `${all} ${line}` : `${all}; ${line}`), '')
}

/** Ends with one full stop. */
export function sentence(words: string): string {
  const trimmed = words.trim()
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
