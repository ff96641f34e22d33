import { afterAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { verifyAudit } from '@/lib/services/audit/verify-audit'
import { systemCtx } from '@/lib/services/context'
import { DECISION } from '@/lib/services/changes/patch-for'
import { isHeld } from '@/lib/services/changes/hold-of'
import { latchedCluster } from '../deciding'
import type { Held } from '../held'
import { Deciders } from './deciders'
import { killedAtEveryStep } from './killed'

useTestDatabase()
const at = latchedCluster()
const deciders = new Deciders()
afterAll(() => deciders.stop())
/** All of them with `KILLS=1000 npx tsx scripts/test.ts --only services testenv/kills`: some ten minutes. */
const KILLS = Number(process.env.KILLS ?? 8)
const MS_EACH = 6_000

const decisions = (held: Held) => db().decision.findMany({ where: { changeId: held.change.id } })

/** Nothing of a group is let go but by a decision that is on record as sent. */
async function expectHeldOrSent(held: Held): Promise<void> {
  const object = await held.read()
  const sent = (await decisions(held)).filter(({ sentAt }) => sentAt !== null)
  if (!isHeld(object)) expect(sent.map(({ id }) => id)).toContain(object.metadata.annotations?.[DECISION])
}

test(
  `killed (kill -9) ${KILLS} times between a decision and its effect: applied once, none lost, and the audit fits`,
  async () => {
    const all: Held[] = []
    for (let kills = 0; kills < KILLS;) {
      const held = await at.held()
      all.push(held)
      const { id: changeId, fingerprint } = held.change
      const task = { changeId, fingerprint, mode: 'replace' as const }
      kills += await killedAtEveryStep(deciders, task, KILLS - kills, () => expectHeldOrSent(held))
    }
    for (const held of all) {
      const [decision, ...others] = await decisions(held)
      expect(others).toEqual([])
      expect(decision).toMatchObject({ state: 'accepted', error: null })
      const object = await held.read()
      expect(isHeld(object)).toBe(false)
      expect(object.metadata.annotations?.[DECISION]).toBe(decision!.id)
      const events = await db().auditEvent.findMany({ where: { targetId: held.change.id }, orderBy: { id: 'asc' } })
      expect(events.map(({ action }) => action)).toEqual(['change.approved', 'decision.accepted'])
    }
    expect(await verifyAudit(systemCtx('suite'))).toMatchObject({ ok: true })
  },
  60_000 + KILLS * MS_EACH,
)
