import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIP_MARK } from '@/lib/domain/health-checks'
import { KubeError, type KubeClient, type KubeObject, type Status } from '@/lib/kubernetes/types'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { skippingCluster } from '@/testenv/skipping'
import { ada } from '@/testenv/timed'

useTestDatabase()
const s = skippingCluster()

/** In any order by id. */
const FIRST = '00000000-0000-4000-8000-000000000000'

/** As many machines of another change as a round takes, all of which begin, or are to be restored; none may be written. */
async function refusedOnes(marked: boolean): Promise<KubeClient['get']> {
  await db().change.deleteMany({ where: { id: FIRST } })
  const like = s.held.change
  const of = { groupId: randomUUID(), groupName: 'refused', skipsAt: marked ? null : new Date(), skipsBy: 'Ada' }
  const { id } = await db().change.create({ data: { ...like, ...of, id: FIRST, state: 'running' } as never })
  const by = { mode: 'in-place', state: 'accepted', actorId: 'ada', actorName: 'Ada', acceptedAt: new Date() }
  await db().decision.create({ data: { changeId: id, fingerprint: 'r', ...by } })
  const { clusterId, groupKind, namespace, workloadCluster } = s.held.change
  const common = { clusterId, groupKind, groupName: 'refused', namespace, workloadCluster, resourceVersion: '1' }
  const begun = { phase: 'Running', state: 'updating', sentence: '', updating: true, verdict: 'in-place' }
  const mark = marked ? { skipRemediation: true, skipMark: id } : {}
  await db().machine.createMany({
    data: Array.from({ length: 200 }, (_, i) => ({
      ...{ ...common, ...begun, ...mark, id: randomUUID(), name: `refused-${i}` },
      ...{ provider: 'cluster.x-k8s.io', createdAt: new Date() },
    })),
  })
  const rows = await db().machine.findMany({ where: { groupName: 'refused' }, select: { id: true, name: true } })
  const uids = new Map(rows.map((row) => [row.name, row.id]))
  const annotations = marked ? { ...s.ours(), [SKIP_MARK]: id } : {}
  return (_resource, name) =>
    Promise.resolve({
      metadata: { name, namespace, uid: uids.get(name)!, resourceVersion: '1', annotations },
    } as KubeObject)
}

test.each([
  ['skipped', false],
  ['restored', true],
])('that of a whole round of machines none may be %s keeps no others from it', async (_, marked) => {
  if (marked) await s.marked()
  else {
    await skipRemediation(ada, s.input())
    await s.letGo()
    await s.look()
  }
  const theirs = await refusedOnes(marked)
  // Its marks are to go.
  if (marked) await s.is({ state: 'done', finishedAt: new Date(0) })
  const { client } = await s.view()
  const view = await s.with_({
    get: (resource, name, ...more) =>
      name.startsWith('refused') ? theirs(resource, name, ...more) : client.get(resource, name, ...more),
    patch: (resource, name, ...more) =>
      name.startsWith('refused')
        ? Promise.reject(new KubeError(422, { message: 'denied by a webhook' } as Status, 'PATCH'))
        : client.patch(resource, name, ...more),
  })
  const refused = new Map<string, number>()
  for (let i = 0; i < 2; i++) await s.round(view, refused)
  expect(await s.marks()).toEqual(marked ? {} : s.ours())
})
