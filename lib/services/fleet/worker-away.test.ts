import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { getCluster } from '../clusters/get-cluster'
import { listClusters } from '../clusters/list-clusters'
import type { Ctx } from '../context'
import { messageFor } from '../latch/status'
import { needsYou } from './needs-you'

useTestDatabase()
const viewer: Ctx = { actor: { kind: 'user', id: 'v', name: 'Vi', role: 'viewer' } }
const HOUR = 3_600_000

async function cluster(name: string, latchForm: string, until: number, state = 'connected'): Promise<string> {
  const latchStatus = {
    state: 'intact',
    message: messageFor({ state: 'intact', findings: [] }),
    findings: [],
    proved: true,
  }
  const { id } = await db().managementCluster.create({
    data: {
      ...{ name, server: 'https://127.0.0.1:1', state, latchForm, gateState: 'registered' },
      ...(latchForm === 'watch' ? {} : { latchStatus }),
      policy: { create: { governs: 'all' } },
      lease: { create: { owner: 'me', until: new Date(Date.now() + until) } },
    },
  })
  return id
}
const needs = async () => (await needsYou(viewer, {})).map(({ kind, where, sentence }) => [kind, where, sentence])

test('no worker for longer than its lease is one cause in one row, below what is not held, or refused, by it', async () => {
  const hook = await cluster('hook', 'webhook', HOUR)
  await cluster('left', 'policy', -HOUR, 'disconnected')
  expect(await needs()).toEqual([])
  expect(await getCluster(viewer, { clusterId: hook })).toMatchObject({
    away: null,
    latch: { status: { state: 'intact' } },
  })

  await db().clusterLease.updateMany({ data: { until: new Date(Date.now() - HOUR) } })
  const refused = ['latch-unknown', 'hook', 'Writes that would roll out governed groups of hook may be refused now']
  expect(await needs()).toEqual([refused, ['watch', 'hook', 'What is shown of it may be old: no worker follows it.']])
  expect(await getCluster(viewer, { clusterId: hook })).toMatchObject({
    away: { since: expect.any(String) as string },
    latch: {
      status: { state: 'unreachable', proved: null, message: expect.stringContaining('refuses writes') as string },
    },
  })

  await cluster('old', 'watch', -HOUR)
  for (const name of ['a', 'b']) await cluster(name, 'policy', -HOUR)
  expect(await needs()).toEqual([
    refused,
    ['latch', 'old', 'Nothing holds changes of old now'],
    ['watch', 'a, b, hook and 1 more', 'No worker runs (4 clusters)'],
  ])
  expect((await listClusters(viewer)).map(({ name, unprotected, away }) => [name, unprotected, away !== null])).toEqual(
    [
      ['a', null, true],
      ['b', null, true],
      ['hook', 'writes may be refused', true],
      ['left', null, false],
      ['old', 'not watched now', true],
    ],
  )

  // What was unreachable before was not heard for longer: since when no worker runs, the newest tells.
  const heard = async (name: string, ago: number) => {
    const lastHeardAt = new Date(Date.now() - ago)
    await db().managementCluster.update({ where: { name }, data: { lastHeardAt } })
    return lastHeardAt.toISOString()
  }
  await heard('a', HOUR)
  const newest = await heard('b', HOUR / 60)
  const row = (await needsYou(viewer, {})).find(({ id }) => id === 'no-worker')
  expect(row?.since).toBe(newest)

  await cluster('followed', 'policy', HOUR)
  expect((await needs()).at(-1)).toEqual(['watch', 'a, b, hook and 1 more', 'No worker follows 4 clusters'])
})
