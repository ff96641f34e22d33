import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import type { PolicySpec } from '@/lib/domain/policies'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { annotations, expectHeld, stateOf } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { begins, CLOSED, cy, decisions, FROZEN, row } from '@/testenv/timed'
import { waved, wavedCluster } from '@/testenv/waved'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { view, running, look, round } = wavedCluster()
const prod = { select: { labels: { env: 'prod' } } }

/** Under way, in a wave of its policy. */
async function inWave() {
  const held = await running()
  await begins(held)
  const { policyId } = await waved([held], [{ name: 'canary' }])
  await round()
  return { held, policyId }
}
async function writes(policyId: string, more: Omit<PolicySpec, 'select'>): Promise<void> {
  const { version, name, spec } = await db().rolloutPolicy.findUniqueOrThrow({ where: { id: policyId } })
  await savePolicy(cy, { policyId, version, name, spec: { ...(spec as { select: object }), ...more } })
}
const labelled = async (held: Held, env: string) => {
  const { clusterId, namespace, workloadCluster: name } = await row(held)
  await db().workloadCluster.deleteMany({ where: { clusterId, namespace, name } })
  const of = { id: randomUUID(), clusterId, namespace, name, provider: 'cluster-api' }
  await db().workloadCluster.create({ data: { ...of, labels: { env } } })
}

test.each([
  ['a freeze', FROZEN, /frozen by the policy .* \(the sale\)/],
  ['windows', CLOSED, /outside the windows of the policy/],
])('%s in a policy with waves hold what is under way before its wave is known anew', async (_, times, words) => {
  const { held, policyId } = await inWave()
  await writes(policyId, times)
  await holdToTimes(await view())
  await expectHeld(held)
  expect((await annotations(held))[HELD]).toMatch(words)
  await look(held)
  expect(await stateOf(held)).toBe('waiting')
  // Over, it waits until its wave is known, and goes on in that.
  await writes(policyId, { freezes: undefined, windows: undefined })
  await goInTime(await view())
  await expectHeld(held)
  await round()
  expect(await stateOf(held)).toBe('approved')
  expect((await decisions(held)).at(-1)).toMatchObject({ state: 'accepted', awaitsTime: false })
})

test('where nothing but its wave is not known it goes on', async () => {
  const { held, policyId } = await inWave()
  await writes(policyId, { reasonRequired: false })
  await holdToTimes(await view())
  expect(await stateOf(held)).toBe('running')
  expect((await decisions(held)).at(-1)).toMatchObject({ state: 'seen', awaitsTime: false })
})

test('labelled for another policy, whose waves are frozen, it is held in the next round', async () => {
  const held = await running()
  await begins(held)
  await labelled(held, 'dev')
  await savePolicy(cy, { name: `p-${randomUUID()}`, spec: { ...prod, ...FROZEN, waves: [{ name: 'one', size: 1 }] } })
  await round()
  await labelled(held, 'prod')
  await holdToTimes(await view())
  expect((await annotations(held))[HELD]).toMatch(/frozen/)
})
