import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { person } from '@/testenv/timed'
import { recordAudit } from '../audit/record'
import { getFleet } from './get-fleet'

useTestDatabase()

test('a cluster that was disconnected and left groups held is named until it is connected again', async () => {
  const admin = person('cy', 'admin')
  const { id } = await db().managementCluster.create({ data: { name: 'atlas', server: '' } })
  const say = (staysHeld: string[]) =>
    db().$transaction((tx) =>
      recordAudit(tx, admin, {
        action: 'cluster.disconnected',
        target: { kind: 'ManagementCluster', id, name: 'atlas' },
        details: { staysHeld },
      }),
    )
  expect((await getFleet(admin, {})).left).toEqual([])
  await say(['MachineDeployment a/b', 'MachineDeployment a/c'])
  expect((await getFleet(admin, {})).left).toEqual([{ id, name: 'atlas', groups: 2 }])
  expect((await getFleet(admin, { cluster: 'other' })).left).toEqual([])
  // Connected again.
  await db().clusterCredential.create({ data: { clusterId: id, sealed: new Uint8Array([1]), keyId: 'k' } })
  expect((await getFleet(admin, {})).left).toEqual([])
  await db().clusterCredential.delete({ where: { clusterId: id } })
  await say([])
  expect((await getFleet(admin, {})).left).toEqual([])
})
