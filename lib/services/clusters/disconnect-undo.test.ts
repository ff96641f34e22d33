import { expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { log } from '@/lib/log'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import { kubeClientFor } from './connection'
import { disconnectCluster } from './disconnect-cluster'
import { recoverDisconnects } from './recover-disconnect'

useTestDatabase()
const at = latchedCluster()

test('what a disconnect failed at is told, also where the database is gone by then; the worker connects it again', async () => {
  const { clusterId } = at
  const client = await kubeClientFor(clusterId)
  const { get } = client
  const gone = new Error('the database is gone')
  const logged = vi.spyOn(log(), 'error').mockReturnValue(undefined)
  const transaction = vi.spyOn(db(), '$transaction')
  const row = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  client.get = async (...args) => {
    // Once it is on record the cluster is asked once more.
    if ((await row()).state !== 'disconnected') return get(...args)
    transaction.mockRejectedValue(gone)
    throw new KubeUnreachable('timed out', 'GET')
  }
  try {
    const told = await failure(disconnectCluster(as('admin'), { clusterId, confirm: 'm' }))
    expect(told).toMatchObject({ code: 'unavailable', message: 'The cluster does not answer: timed out' })
    expect(logged.mock.calls.map(([about]) => about)).toEqual([{ err: gone, failedAt: told.message, cluster: 'm' }])
  } finally {
    client.get = get
    vi.restoreAllMocks()
  }
  expect((await row()).state).toBe('disconnected')
  expect(await recoverDisconnects(0)).toEqual(['m'])
  expect((await row()).state).toBe('pending')
})
