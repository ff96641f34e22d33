import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import { valueAt } from '@/lib/domain/changes'
import type { JsonObject } from '@/lib/domain/json'
import { changeSetOf } from '@/lib/services/changes/change-row'
import { as, failure, latchedCluster } from '@/testenv/deciding'
import type { Held } from '@/testenv/held'
import { goingBack } from './going-back'

useTestDatabase()
const at = latchedCluster()
const from = (held: Held): string => changeSetOf(held.change).pairs[0]!.from

test('a worker group as it was: its own spec, with the template that its former MachineSet still has', async () => {
  const held = await at.held()
  const { manifests, clusterId } = await goingBack(as('operator'), { id: held.change.id })
  expect(clusterId).toBe(at.clusterId)
  const written = parse(manifests) as JsonObject
  const live = (await held.read()) as unknown as JsonObject
  expect(written).toMatchObject({
    kind: 'MachineDeployment',
    metadata: { name: held.name, namespace: held.namespace },
    spec: { replicas: valueAt(live, 'spec', 'replicas'), selector: valueAt(live, 'spec', 'selector') },
  })
  expect(Object.keys(written).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
  const version = (of: JsonObject) => valueAt(of, 'spec', 'template', 'spec', 'version')
  const { current, desired } = changeSetOf(held.change).pairs[0]!.changes.find(({ path }) => path === 'version')!
  expect([version(written), version(live)]).toEqual([current, desired])
  expect(manifests).not.toContain('machine-template-hash')
})

test('what is not to be had is said: control planes, what is gone, who may not', async () => {
  const plane = await at.held('KubeadmControlPlane')
  expect((await failure(goingBack(as('operator'), { id: plane.change.id }))).message).toContain('is kept nowhere')
  await db().change.update({ where: { id: plane.change.id }, data: { groupKind: 'MachineConfigPool' } })
  const ofPool = (await failure(goingBack(as('operator'), { id: plane.change.id }))).message
  expect(ofPool).toBe(
    'A pool takes up what it is rendered from: write that as it was (its MachineConfigs, and the like).',
  )
  expect((await failure(goingBack(as('operator'), { id: randomUUID() }))).code).toBe('not-found')
  expect((await failure(goingBack(as('viewer'), { id: plane.change.id }))).code).toBe('forbidden')
  const held = await at.held()
  const changeSet = JSON.parse(
    JSON.stringify(held.change.changeSet).replaceAll(from(held), 'gone'),
  ) as Prisma.InputJsonObject
  await db().change.update({ where: { id: held.change.id }, data: { changeSet } })
  expect((await failure(goingBack(as('operator'), { id: held.change.id }))).message).toContain('not there any more')
})
