import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { SKIP_MARK, SKIPS_REMEDIATION } from '@/lib/domain/health-checks'
import { KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { skippingCluster } from '@/testenv/skipping'
import { until } from '@/testenv/process'
import { ada } from '@/testenv/timed'

useTestDatabase()
const s = skippingCluster()
const MACHINES = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machines' }

/** A machine of another group, with the mark of a change that nobody knows any more: it is to be restored. */
async function leftMarked() {
  const { namespace, name: group } = s.held
  const { admin } = s.at.cluster
  const all = await s.at.cluster.machines(namespace, group.replace(/-md$/, ''))
  const { uid: id, name } = all.find(({ metadata }) => metadata.uid !== s.machine.metadata.uid)!.metadata
  const mark = randomUUID()
  const annotations = { [SKIPS_REMEDIATION]: 'drydock', [SKIP_MARK]: mark }
  await admin.patch(MACHINES, name, namespace, 'merge', { metadata: { annotations } })
  const row = await db().machine.findUniqueOrThrow({ where: { id: s.machine.metadata.uid } })
  const { labels: _labels, ...same } = row
  const other = { ...same, id, name, groupName: 'another', skipRemediation: true, skipMark: mark }
  await db().machine.create({ data: other as never })
  return async () => SKIP_MARK in ((await admin.get(MACHINES, name, namespace)).metadata.annotations ?? {})
}

test('a machine that is not answered about keeps no other change’s from being written, and is tried once at a time', async () => {
  await skipRemediation(ada, s.input())
  await s.letGo()
  await s.look()
  const isMarked = await leftMarked()
  const { client } = await s.view()
  let end: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => (end = () => reject(new KubeUnreachable('no answer', 'GET'))))
  let tried = 0
  const get: KubeClient['get'] = (resource, name, ...more) => {
    if (name !== s.machine.metadata.name) return client.get(resource, name, ...more)
    tried++
    return ended
  }
  const view = await s.with_({ get })
  const first = s.round(view).catch((error: unknown) => String(error))
  try {
    await until('the other one to be restored', async () => !(await isMarked()), { ms: 40_000 })
    await s.round(view)
    expect(tried).toBe(1)
  } finally {
    end()
  }
  expect(await first).toContain('no answer')
})
