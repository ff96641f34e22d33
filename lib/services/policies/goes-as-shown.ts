import { db } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { atOnce } from './at-once'
import { readPolicies } from './read-policies'

/** Nobody is asked again about what goes by a policy: no more may go than whoever writes it was shown. */
export async function requireGoesAsShown(
  shown: number | undefined,
  ids: readonly string[],
  after: (before: readonly Policy[]) => Policy[],
): Promise<void> {
  if (shown === undefined) return
  const before = await readPolicies(db(), ids)
  const { changes } = (await atOnce(db(), before, after(before))).goes
  if (changes <= shown) return
  const words = `${changes} change${changes === 1 ? '' : 's'} go${changes === 1 ? 'es' : ''}`
  throw new ServiceError('conflict', `By now ${words} at once by it, and you were shown ${shown}. Nothing was saved.`, {
    hint: 'Look again at what it would do.',
  })
}
