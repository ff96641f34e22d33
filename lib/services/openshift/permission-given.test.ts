import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Listening } from '@/lib/db/listen'
import type { Announcement } from '@/lib/db/notify'
import { beforeEngineTests, begin, cluster } from './suites/engine'

beforeEngineTests()

test('a write that is stored, although the permission for it was found missing, has permissions asked anew', async () => {
  const heard: Announcement[] = []
  const listening = new Listening()
  const stop = listening.add((told) => void (told.kind === 'announcement' && heard.push(told.message)))
  await expect.poll(() => listening.connected).toBe(true)
  const of = { group: 'operator.openshift.io', resource: 'machineconfigurations' }
  const missingPermissions = [{ ...of, verb: 'patch', part: 'openshift-write', why: 'to write' }]
  await db().managementCluster.update({ where: { id: cluster.id() }, data: { discovery: { missingPermissions } } })
  await begin()
  const asked = { topic: 'clusters', cluster: cluster.id(), discover: true }
  await expect.poll(() => heard, { timeout: 10_000 }).toContainEqual(asked)
  stop()
})
