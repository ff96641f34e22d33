import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as } from '@/testenv/deciding'
import { previewImport } from './preview-import'
import { previewPolicy } from './preview-policy'

useTestDatabase()

test('what is pasted is warned of as what is typed, each policy beside all that come with it', async () => {
  const { id: clusterId, name } = await db().managementCluster.create({ data: { name: 'atlas', server: 'https://x' } })
  await db().group.create({
    data: {
      ...{ id: randomUUID(), clusterId, kind: 'MachineDeployment', apiVersion: 'cluster.x-k8s.io/v1beta2' },
      ...{ namespace: 'fleet', name: 'workers', workloadCluster: 'prod', replicas: 3, strategy: 'RollingUpdate' },
      ...{ maxSurge: '1', maxUnavailable: '0', resourceVersion: '1', createdAt: new Date() },
    },
  })
  const text = `
name: fleet
select: { clusters: [${name}] }
approvals: 9
updaterOrder: [nobody]
---
name: one
select: { clusters: [${name}], names: [workers] }
maxSurge: 0
---
name: two
select: { names: [work*] }
expiresAfter: 24h
windows: [{ starts: 2026-01-06T22:00, lasts: 4h, repeats: FREQ=WEEKLY;BYDAY=TU, timeZone: UTC }]
maxUnavailable: 0
---
name: none
select: { names: [no-such], labels: { stage: nowhere } }
`
  const { warned } = await previewImport(as('admin'), { text })
  expect(warned.map((policy) => [policy.name, policy.matching, policy.neither])).toEqual([
    ['fleet', 1, 1],
    ['one', 1, 1],
    ['two', 1, 1],
    ['none', 0, 0],
  ])
  expect(warned[3]!.strangeLabels).toMatchObject([{ label: 'stage=nowhere' }])
  expect(warned.map(({ shortLived }) => shortLived?.enough ?? null)).toEqual([null, null, '7d', null])
  const spec = { select: { clusters: [name] }, approvals: 9, updaterOrder: ['nobody'] }
  const { tooFew, strangeUpdaters } = await previewPolicy(as('admin'), { name: 'fleet', spec })
  expect({ tooFew, strangeUpdaters }).toMatchObject({ tooFew: { asked: 9 }, strangeUpdaters: ['nobody'] })
  expect(warned[0]).toMatchObject({ tooFew, strangeUpdaters })
  expect(await db().rolloutPolicy.count()).toBe(0)
})

test('that the windows of a policy never open is said of it where it is pasted and where it is typed', async () => {
  const windows = [{ starts: '2026-10-25T02:30', lasts: '1h', timeZone: 'Europe/Berlin' }]
  const always = { starts: '2026-01-01T00:00', lasts: '9999d', timeZone: 'UTC' }
  const text = JSON.stringify({ name: 'past', select: {}, windows })
  const { warned } = await previewImport(as('admin'), {
    text: `${text}\n---\n${JSON.stringify({ name: 'frozen', select: {}, freezes: [always] })}\n---\n{ name: open, select: {}, approvals: 1 }`,
  })
  expect(warned.map(({ name, neverOpens }) => [name, neverOpens])).toEqual([
    ['past', true],
    ['frozen', true],
    ['open', false],
  ])
  const typed = await previewPolicy(as('admin'), { name: 'past', spec: { select: {}, windows } })
  expect([typed.neverOpens, typed.openings]).toEqual([true, null])
})
