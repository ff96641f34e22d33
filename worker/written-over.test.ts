import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { objects } from '@/lib/providers/openshift/testing/samples'
import * as pools from './pools'
import { silentPools } from './pools/silent'
import { writeUnread as poolsUnread } from './pools/write-unread'
import { silenceOf } from './silence'
import * as skew from './skew'
import { silentParts } from './skew/silent'
import { writeUnread as skewUnread } from './skew/write-unread'
import type { ClusterView, Silent } from './types'
import * as upgradeable from './upgradeable'
import { writeUnread as updatesUnread } from './upgradeable/write-unread'

useTestDatabase()
const clusterId = randomUUID()
const sample = objects('automatic')
const pool = {
  metadata: { uid: randomUUID(), name: 'worker', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...{ spec: {}, status: { conditions: [] } },
}
const kept: Record<string, Record<string, unknown>> = {
  'machineconfigurations.operator.openshift.io': { cluster: sample.machineConfiguration },
  'infrastructures.config.openshift.io': { cluster: sample.infrastructure },
  'clusterversions.config.openshift.io': { version: sample.clusterVersion },
  'machineconfigpools.machineconfiguration.openshift.io': { worker: pool },
}
let silent = new Map<string, Silent>()
const view = {
  ...{ clusterId, name: 'atoll', fence: 0n, silent: () => silent },
  capabilities: { resources: {}, missingPermissions: [], openshift: { skew: true } },
  objects: (resource: string) => new Map(Object.entries(kept[resource] ?? {})),
} as unknown as ClusterView
const followed = [skew.skewConsumer, upgradeable.upgradeableConsumer, pools.poolsConsumer]

beforeAll(() => db().managementCluster.create({ data: { id: clusterId, name: 'atoll', server: '' } }))
afterAll(() => followed.forEach((consumer) => consumer.forget?.(view)))

const PARTS = {
  'boot images': {
    ...{ part: skew, begin: () => skew.skewConsumer.onSynced(view) },
    unread: () => skewUnread(view, silentParts(view, null, true)),
    row: () => db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } }),
  },
  updates: {
    ...{ part: upgradeable, begin: () => upgradeable.upgradeableConsumer.onSynced(view) },
    unread: () => updatesUnread(view, silenceOf(view, upgradeable.OF_UPDATES, true)),
    row: () => db().clusterUpdates.findUniqueOrThrow({ where: { clusterId } }),
  },
  pools: {
    ...{ part: pools, begin: () => pools.poolsConsumer.onSynced(view) },
    unread: () => poolsUnread(view, silentPools(view, { pools: true })),
    row: () => db().configPool.findFirstOrThrow({ where: { clusterId } }),
  },
}

test.each(Object.entries(PARTS))(
  'that nothing was read, written over what came in meanwhile, does not stay: %s',
  async (_of, { part, begin, unread, row }) => {
    await begin()
    const { sentence } = await row()
    const refused = { message: 'it is forbidden', isListed: false }
    silent = new Map(Object.keys(kept).map((stream) => [stream, refused]))
    await unread()
    expect((await row()).unheardWhy).toContain('it is forbidden')
    silent = new Map()
    expect(await part.judgeAnew(view)).toBe(true)
    expect(await row()).toMatchObject({ unheardWhy: null, sentence })
  },
)
