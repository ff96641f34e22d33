import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeObject } from '@/lib/kubernetes/types'
import { objects, SETS } from '@/lib/providers/openshift/testing/samples'
import { poolsConsumer } from './pools'
import { skewConsumer } from './skew'
import type { ClusterView, ObjectChange } from './types'
import { upgradeableConsumer } from './upgradeable'

useTestDatabase()
const clusterId = randomUUID()
const sample = objects('automatic')
const named = (name: string, of: object): KubeObject =>
  ({
    metadata: { uid: randomUUID(), name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    ...of,
  }) as unknown as KubeObject

const MACHINE_SETS = 'machinesets.machine.openshift.io'
const OPERATORS = 'clusteroperators.config.openshift.io'
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const POOL = { spec: {}, status: { conditions: [] } }
const NOT_YET = { type: 'Upgradeable', status: 'False', reason: 'NotYet', message: 'No.' }
const kept: Record<string, Record<string, KubeObject | undefined>> = {
  'machineconfigurations.operator.openshift.io': { cluster: sample.machineConfiguration },
  'infrastructures.config.openshift.io': { cluster: sample.infrastructure },
  'clusterversions.config.openshift.io': { version: sample.clusterVersion },
  [POOLS]: { worker: named('worker', POOL) },
}
const view = {
  ...{ clusterId, name: 'tidal', fence: 0n },
  capabilities: { openshift: { skew: true, managed: undefined }, resources: {}, missingPermissions: [] },
  objects: (resource: string) => new Map(Object.entries(kept[resource] ?? {})),
} as unknown as ClusterView

const TABLES = ['boot_image_set', 'upgrade_blocker', 'config_pool']
const PARTS = [
  {
    ...{ what: 'boot images', consumer: skewConsumer, resource: MACHINE_SETS },
    bad: { ...structuredClone(SETS['aws.current']!), metadata: { ...SETS['aws.current']!.metadata, name: 'bad' } },
    row: () => db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } }),
  },
  {
    ...{ what: 'updates', consumer: upgradeableConsumer, resource: OPERATORS },
    bad: named('bad', { status: { conditions: [NOT_YET] } }),
    row: () => db().clusterUpdates.findUniqueOrThrow({ where: { clusterId } }),
  },
  {
    ...{ what: 'pools', consumer: poolsConsumer, resource: POOLS },
    bad: named('bad', POOL),
    row: () => db().configPool.findFirstOrThrow({ where: { clusterId } }),
  },
]

beforeAll(async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'tidal', server: 'https://x' } })
  await pool().query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF 'bad' IN (to_jsonb(NEW)->>'name', to_jsonb(NEW)->>'item') THEN RAISE 'refused'; END IF; RETURN NEW; END $$`)
  for (const table of TABLES)
    await pool().query(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`)
})
afterAll(async () => {
  for (const { consumer } of PARTS) consumer.forget?.(view)
  await pool().query('DROP FUNCTION refuse CASCADE')
})

const NOT_MADE = {
  get metadata(): never {
    throw new Error('refused')
  },
} as unknown as KubeObject

test.each([
  ...PARTS.map((part) => [part.what, 'written', part, part.bad] as const),
  ['boot images', 'made', PARTS[0]!, NOT_MADE] as const,
])(
  '%s: what cannot be %s again and again says that it is not known, and is as before when it can be',
  async (_of, _how, { consumer, resource, row }, bad) => {
    await consumer.onSynced(view)
    const before = await row()
    expect(before.unheardWhy).toBeNull()
    const changes: ObjectChange[] = [{ type: 'upsert', resource, key: 'k', object: bad, heardAt: 0 }]
    const good = { ...kept[resource] }
    kept[resource] = { ...good, 'openshift-machine-api/bad': bad }
    for (const isTold of [false, false, true]) {
      await expect(consumer.onChanges(view, changes)).rejects.toThrow('refused')
      expect((await row()).unheardWhy !== null).toBe(isTold)
    }
    expect(await row()).toMatchObject({
      sentence: expect.stringContaining('not known') as string,
      unheardWhy: expect.stringContaining('failed again and again') as string,
      unheardSince: before.seenAt,
    })
    kept[resource] = good
    await consumer.onChanges(
      view,
      changes.map((change) => ({ ...change, type: 'delete' })),
    )
    expect(await row()).toMatchObject({ sentence: before.sentence, unheardWhy: null, unheardSince: null })
  },
)
