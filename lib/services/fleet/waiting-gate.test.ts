import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from '../context'
import { needsYou } from './needs-you'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }

test('a gate that waits for an administrator is put before people, with when it was first seen, until it is acknowledged', async () => {
  const { id } = await db().managementCluster.create({ data: { name: 'tidal', server: 'https://127.0.0.1:1' } })
  const gate = {
    clusterId: id,
    position: 0,
    text: 'Confirm.',
    release: '4.22',
    firstSeenAt: new Date('2026-11-20T08:00:00Z'),
  }
  const waiting = { ...gate, state: 'waiting' }
  await db().adminGate.createMany({
    data: [
      { ...waiting, name: 'ack-4.22-a' },
      { ...gate, name: 'ack-4.22-b', state: 'acknowledged', ack: 'true' },
    ],
  })
  const gates = async (scope = {}) => (await needsYou(viewer, scope)).filter(({ kind }) => kind === 'gate')
  expect(await gates()).toMatchObject([
    {
      ...{ where: 'tidal', since: '2026-11-20T08:00:00.000Z', sentence: 'A gate waits for an administrator.' },
      action: { href: '/upgradeable?cluster=tidal' },
    },
  ])
  expect(await gates({ cluster: 'other' })).toEqual([])
  await db().adminGate.updateMany({ where: { clusterId: id }, data: { state: 'acknowledged' } })
  expect(await gates()).toEqual([])
})
