import type { Failure } from '@/lib/auth/failure'
import { cannotWrite } from '@/lib/domain/access/cannot-write'
import type { Capabilities } from '@/lib/domain/capabilities'
import { CONFIGURATIONS } from './get-card'

/**
 * Why nothing can be decided on the boot images of one of several clusters, as far as its connection was checked; null: it can. Asked
 * before anything is asked of who decides: no version that is typed would help.
 */
export function refusedWrite(discovery: unknown): Failure | null {
  const message = cannotWrite((discovery ?? null) as Partial<Capabilities> | null, CONFIGURATIONS)
  if (message === null) return null
  return { code: 'refused', message, hint: 'The page of the cluster, under Clusters, has the manifest.' }
}
