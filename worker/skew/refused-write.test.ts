import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db, pool } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { KubeObject } from '@/lib/kubernetes/types'
import { CONFIG_MAP, objects, SETS } from '@/lib/providers/openshift/testing/samples'
import type { ClusterView } from '../types'
import { skewConsumer } from '.'

useTestDatabase()
const clusterId = randomUUID()
const sample = objects('automatic')
const one = (key: string, object: KubeObject | undefined) => new Map(object ? [[key, object]] : [])
const cache: Record<string, ReadonlyMap<string, KubeObject>> = {
  'machineconfigurations.operator.openshift.io': one('cluster', sample.machineConfiguration),
  'infrastructures.config.openshift.io': one('cluster', sample.infrastructure),
  'clusterversions.config.openshift.io': one('version', sample.clusterVersion),
  configmaps: one('openshift-machine-config-operator/coreos-bootimages', CONFIG_MAP),
}
const view = {
  ...{ clusterId, name: 'tidal', fence: 0n },
  capabilities: { openshift: { skew: true, managed: undefined }, resources: {}, missingPermissions: [] },
  objects: (resource: string) => cache[resource] ?? new Map(),
} as unknown as ClusterView

beforeAll(async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'tidal', server: 'https://x' } })
  await pool().query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.name = 'bad' THEN RAISE 'refused'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON boot_image_set FOR EACH ROW EXECUTE FUNCTION refuse()`)
})
afterAll(async () => {
  skewConsumer.forget?.(view)
  await pool().query('DROP TRIGGER refuse ON boot_image_set; DROP FUNCTION refuse()')
})
const card = () => db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })

test('a card that cannot be written again and again says that it is not known, and is as before when it can be', async () => {
  await skewConsumer.onSynced(view)
  const before = await card()
  expect(before).toMatchObject({ verdict: 'ok', unheardWhy: null })

  const set = structuredClone(SETS['aws.current']!)
  set.metadata.name = 'bad'
  cache['machinesets.machine.openshift.io'] = one('openshift-machine-api/bad', set)
  const changes = [
    { type: 'upsert', resource: 'machinesets.machine.openshift.io', key: 'k', object: set, heardAt: 0 } as const,
  ]
  for (const verdict of ['ok', 'ok', 'unknown']) {
    await expect(skewConsumer.onChanges(view, changes)).rejects.toThrow('refused')
    expect((await card()).verdict).toBe(verdict)
  }
  expect(await card()).toMatchObject({
    unheardWhy: expect.stringContaining('failed again and again') as string,
    unheardSince: before.seenAt,
  })

  delete cache['machinesets.machine.openshift.io']
  await skewConsumer.onChanges(view, changes)
  expect(await card()).toMatchObject({ verdict: 'ok', sentence: before.sentence, unheardWhy: null })
})

test('nor does one stand as if it were of now that cannot be made', async () => {
  const set = {
    get metadata(): never {
      throw new Error('unreadable')
    },
  } as unknown as KubeObject
  cache['machinesets.machine.openshift.io'] = one('openshift-machine-api/odd', set)
  const changes = [
    { type: 'upsert', resource: 'machinesets.machine.openshift.io', key: 'k', object: set, heardAt: 0 } as const,
  ]
  for (const verdict of ['ok', 'ok', 'unknown']) {
    await expect(skewConsumer.onChanges(view, changes)).rejects.toThrow('unreadable')
    expect((await card()).verdict).toBe(verdict)
  }
  delete cache['machinesets.machine.openshift.io']
  await skewConsumer.onChanges(view, changes)
  expect(await card()).toMatchObject({ verdict: 'ok', unheardWhy: null })
})
