import type { Change } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import { outlookIn, type DecisionMode } from './change-row'

type Named = Pick<Change, 'groupKind' | 'groupName' | 'outlook'>

/**
 * The name to type before control plane machines are deleted, whichever way it is approved: etcd members go with them.
 * In place with a spare deletes one as well. And where something is known that stands against it (`risks`). Null: none.
 */
export function nameToType(change: Named, mode: DecisionMode, risks: readonly string[]): string | null {
  if (mode === 'reject' || change.groupKind !== 'KubeadmControlPlane') return null
  return deletesAny(change, mode) || risks.length > 0 ? change.groupName : null
}

const deletesAny = (change: Named, mode: DecisionMode): boolean => {
  const { inPlace, replace } = outlookIn(change)
  return mode === 'replace' || (inPlace ?? replace).deleted > 0
}

/** What goes on was approved before: only what is known by now may stand against it. */
export function requireNameToGoOn({ groupName }: Named, [risk]: readonly string[], typed: string | undefined): void {
  if (risk === undefined || typed === groupName) return
  const message = `Type ${groupName} to let it go. ${risk}`
  throw new ServiceError('invalid', message, { fields: [{ field: 'typedName', message }] })
}

/** The page asks for the name, and so does the verb: a script, or a page of yesterday, must not go without. */
export function requireTypedName(
  change: Named,
  mode: DecisionMode,
  risks: readonly string[],
  typed: string | undefined,
): void {
  const name = nameToType(change, mode, risks)
  if (name === null || typed === name) return
  const why = risks[0] ?? 'In place, too, it loses a machine.'
  const message =
    mode === 'replace'
      ? `Type ${name} to replace this control plane.`
      : `Type ${name} to update this control plane. ${why}`
  throw new ServiceError('invalid', message, { fields: [{ field: 'typedName', message }] })
}
