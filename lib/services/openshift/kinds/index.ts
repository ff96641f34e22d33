import { ServiceError } from '../../errors'
import type { ActionKind } from '../kind'
import { gateKind } from './gate'
import { managedKind } from './managed'
import { poolKind } from './pool'
import { skewKind } from './skew'

/** Every kind of decision on OpenShift: a file each, and a word here. */
export const kinds = new Map<string, ActionKind>(
  [skewKind, managedKind, poolKind, gateKind].map((kind) => [kind.kind, kind]),
)

/** Throws where a newer Drydock recorded what this one does not know. */
export function kindOf(kind: string): ActionKind {
  const found = kinds.get(kind)
  if (!found) throw new ServiceError('invalid', `This version of Drydock does not know decisions of the kind ${kind}.`)
  return found
}
