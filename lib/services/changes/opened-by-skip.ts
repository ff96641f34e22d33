import { db } from '@/lib/db/client'
import { keptMembership } from '../waves/membership'
import { placed } from '../waves/place'
import { runsNow, type Run } from '../waves/runs'

/** Before anybody's word: it does not wait for the moment at which that is said. */
const SAID_MS = 60_000

/** Ends a transaction of which nothing is kept. */
class Rehearsed extends Error {
  constructor(readonly opened: string[]) {
    super('nothing of this is kept')
  }
}

/** Changes of a run whose waves open as soon as one is not waited for: as they would stand, had somebody said so. */
export async function openedBySkip(about: { policyId: string; wish: string }, wave: string): Promise<string[]> {
  const members = await keptMembership(db())
  const membership = () => Promise.resolve(members)
  try {
    return await db().$transaction(async (tx): Promise<string[]> => {
      const [run] = await runsNow(tx, membership, about)
      const index = run?.waves.findIndex(({ name }) => name === wave) ?? -1
      if (!run || index < 0 || run.said.skipped.has(wave)) return []
      // Of before, of a wave that was written otherwise.
      const word = { ...about, wave, what: 'skip' }
      await tx.waveWord.updateMany({ where: { ...word, endedAt: null }, data: { endedAt: new Date() } })
      const by = { actorId: '', actorName: '', at: new Date(Date.now() - SAID_MS) }
      await tx.waveWord.create({ data: { ...word, ...by, bound: run.bounds[index]! } })
      const [then] = await runsNow(tx, membership, about)
      const waited = waiting(run)
      const left = then ? waiting(then) : waited
      throw new Rehearsed([...waited].filter((id) => !left.has(id)))
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.opened
    throw error
  }
}

/** Those that their waves keep. Whatever else is approved, what somebody rejected does not go. */
const waiting = (run: Run): Set<string> =>
  new Set(
    run.members.flatMap((member) => {
      const { change, wave } = member
      if (!change || !['waiting', 'approved'].includes(change.state)) return []
      return placed(run, run.wavesFor(member), wave, change).state === 'open' ? [] : [change.id]
    }),
  )
