import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import * as answered from '@/lib/services/changes/answered'
import { approveChange } from '@/lib/services/changes/approve-change'
import * as answers from '@/lib/services/gate/answers'
import { expectHeld, inputFor } from '@/testenv/deciding'
import { ada, FROZEN, lifted, row, says, timedCluster } from '@/testenv/timed'
import { goInTime } from './times'

useTestDatabase()
const { at, view } = timedCluster()

async function due() {
  const held = await at.held()
  await says(held, FROZEN)
  await approveChange(ada, inputFor(held))
  expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  await lifted()
  return held
}

test('its time comes while somebody disconnects its cluster, which is undone: it goes all the same', async () => {
  const held = await due()
  const is = (state: string) => db().managementCluster.update({ where: { id: at.clusterId }, data: { state } })
  await is('disconnected')
  try {
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
  } finally {
    await is('connected')
  }
  await goInTime(await view())
  expect(await row(held)).toMatchObject({ state: 'approved' })
})

test('nobody knows at that moment whether its managers go by an answer that they remember: it goes once that is known', async () => {
  const held = await due()
  const remembers = vi.spyOn(answered, 'answeredOtherwise').mockResolvedValue('Cluster API may remember a yes.')
  const gates = vi.spyOn(answers, 'asksNobody').mockResolvedValue(null)
  try {
    await goInTime(await view())
    await expectHeld(held)
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: 'replace' })
    gates.mockResolvedValue(true)
    await goInTime(await view())
    expect(await row(held)).toMatchObject({ state: 'approved' })
  } finally {
    remembers.mockRestore()
    gates.mockRestore()
  }
})

test('what they surely remember is for people', async () => {
  const held = await due()
  const remembers = vi.spyOn(answered, 'answeredOtherwise').mockResolvedValue('Cluster API may remember a yes.')
  const gates = vi.spyOn(answers, 'asksNobody').mockResolvedValue(false)
  try {
    await goInTime(await view())
    expect(await row(held)).toMatchObject({ state: 'waiting', dueMode: null })
  } finally {
    remembers.mockRestore()
    gates.mockRestore()
  }
})
