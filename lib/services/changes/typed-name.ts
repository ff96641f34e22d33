import type { Change } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import { outlookIn, type DecisionMode } from './change-row'

type Named = Pick<Change, 'groupKind' | 'groupName' | 'outlook'>

/**
 * The name to type before control plane machines are deleted, whichever way it is approved: etcd members go with them.
 * In place with a spare deletes one as well. Null: none.
 */
export function nameToType(change: Named, mode: DecisionMode): string | null {
  if (mode === 'reject' || change.groupKind !== 'KubeadmControlPlane') return null
  const { inPlace, replace } = outlookIn(change)
  const deletes = mode === 'replace' || (inPlace ?? replace).deleted > 0
  return deletes ? change.groupName : null
}

/** The page asks for the name, and so does the verb: a script, or a page of yesterday, must not go without. */
export function requireTypedName(change: Named, mode: DecisionMode, typed: string | undefined): void {
  const name = nameToType(change, mode)
  if (name === null || typed === name) return
  const message =
    mode === 'replace'
      ? `Type ${name} to replace this control plane.`
      : `Type ${name} to update this control plane: in place, too, it loses a machine.`
  throw new ServiceError('invalid', message, { fields: [{ field: 'typedName', message }] })
}
