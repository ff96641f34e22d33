import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError } from '@/lib/kubernetes/types'
import { timedCluster } from '@/testenv/timed'
import { stop } from './stop'

useTestDatabase()
const { view, running } = timedCluster()

test('what could not be read right before a hold is no write of which nobody knows whether it was stored', async () => {
  const held = await running()
  const on = await view()
  const { client } = on
  const get = client.get.bind(client)
  let reads = 0
  client.get = (...asked: Parameters<typeof get>) =>
    ++reads === 2
      ? Promise.reject(new KubeError(500, { kind: 'Status', code: 500, message: 'etcdserver: leader changed' }, 'GET'))
      : get(...asked)
  const change = await db().change.findUniqueOrThrow({ where: { id: held.change.id } })
  await expect(stop(on, change, 'it is to stop')).rejects.toThrow('was not put on hold')
  client.get = get
  const answers = await db().auditEvent.findMany({ where: { targetId: change.id, action: 'change.stopped' } })
  expect(answers.map(({ answer }) => answer)).toEqual(['What it goes by cannot be read: etcdserver: leader changed'])
})
