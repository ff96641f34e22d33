import type { Change } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'
import type { DecisionMode } from './change-row'

type Named = Pick<Change, 'groupKind' | 'groupName'>

/** The name to type before a control plane is replaced: etcd members go with its machines. Null: none. */
export const nameToType = ({ groupKind, groupName }: Named, mode: DecisionMode): string | null =>
  mode === 'replace' && groupKind === 'KubeadmControlPlane' ? groupName : null

/** The page asks for the name, and so does the verb: a script, or a page of yesterday, must not go without. */
export function requireTypedName(change: Named, mode: DecisionMode, typed: string | undefined): void {
  const name = nameToType(change, mode)
  if (name === null || typed === name) return
  const message = `Type ${name} to replace this control plane.`
  throw new ServiceError('invalid', message, { fields: [{ field: 'typedName', message }] })
}
