import { randomUUID } from 'node:crypto'
import { db } from '@/lib/db/client'
import { keptMembership } from '../waves/membership'
import { placed } from '../waves/place'
import { runsNow, type Run } from '../waves/runs'

/** Said a while ago: it does not wait for the moment at which that is said. */
const SAID_MS = 60_000

/** Changes of a run whose waves open as soon as one is not waited for: as they would stand, had somebody said so. */
export async function openedBySkip(about: { policyId: string; wish: string }, wave: string): Promise<string[]> {
  const [run] = await runsNow(db(), keptMembership, about)
  const index = run?.waves.findIndex(({ name }) => name === wave) ?? -1
  if (!run || index < 0 || run.said.skipped.has(wave)) return []
  const by = { id: randomUUID(), actorId: '', actorName: '', reason: null, at: new Date(Date.now() - SAID_MS) }
  const asIf = { ...about, ...by, wave, what: 'skip', bound: run.bounds[index]!, endedAt: null, lapsedAt: null }
  const [then] = await runsNow(db(), keptMembership, { ...about, asIf })
  const waited = waiting(run)
  const left = then ? waiting(then) : waited
  return [...waited].filter((id) => !left.has(id))
}

/** Those of a run that somebody stopped whose waves are open: they go as soon as it goes on. */
export async function openedByResume(about: { policyId: string; wish: string }): Promise<string[]> {
  const [run] = await runsNow(db(), keptMembership, about)
  if (!run?.stopped) return []
  const [stopped, left] = [waiting(run), waiting({ ...run, stopped: null })]
  return [...stopped].filter((id) => !left.has(id))
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
