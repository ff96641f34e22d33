import { db, type Tx } from '@/lib/db/client'
import type { Policy } from '@/lib/domain/policies'
import { ServiceError } from '../errors'
import { atOnce } from './at-once'
import { policiesWord, readPolicies } from './read-policies'

/** What is to be written: over which policies, and what would be there. */
interface Written {
  ids: readonly string[]
  after(before: readonly Policy[]): Policy[]
}

/**
 * Nobody is asked again about what goes by a policy: nothing else may go than whoever writes it was shown. What all policies said
 * as that was looked at; they have to say the same when it is written (`oneWriter`). Undefined: nobody looked.
 */
export async function requireGoesAsShown(
  shown: string | undefined,
  written: () => Written | Promise<Written>,
): Promise<string | undefined> {
  if (shown === undefined) return undefined
  const word = await policiesWord(db())
  const { ids, after } = await written()
  const before = await readPolicies(db(), ids)
  const { goes, later } = await atOnce(db(), before, after(before))
  const changes = goes.changes + later.may
  if (changes === 0 || goes.digest === shown) return word
  const may = goes.changes === 0 ? ' may go' : changes === 1 ? ' goes' : ' go'
  const words = `${changes} change${changes === 1 ? '' : 's'}${may}`
  throw otherwise(`By now ${words} at once by it, and not as you were shown. Nothing was saved.`)
}

/** Before anything else: who writes several policies, and the audit between them, waits for nobody who waits for one of these. */
export async function oneWriter(tx: Tx, word: string | undefined): Promise<void> {
  await tx.$executeRaw`LOCK TABLE rollout_policy IN SHARE ROW EXCLUSIVE MODE`
  if (word !== undefined && word !== (await policiesWord(tx)))
    throw otherwise('Somebody changed policies meanwhile. Nothing was saved.')
}

const otherwise = (message: string): ServiceError =>
  new ServiceError('conflict', message, { hint: 'Look at what it would do by now, and go on if that is meant.' })
