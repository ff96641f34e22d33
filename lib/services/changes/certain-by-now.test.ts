import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { RevisionPair } from '@/lib/domain/changes'
import type { KubeObject } from '@/lib/kubernetes/types'
import { DELETE_MARK } from '@/lib/providers/cluster-api'
import { certainByNow } from './certain-by-now'

useTestDatabase()

const object = (name: string, marked = false, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' },
  metadata: {
    ...{ name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    annotations: marked ? { [DELETE_MARK]: '' } : {},
    ...more,
  },
})
const compared = (from: string, certainReplace?: string) => ({
  pair: { from, machines: 1, fingerprint: from, changes: [], ...(certainReplace ? { certainReplace } : {}) },
  question: null,
})
const pairs = (...all: ReturnType<typeof compared>[]): RevisionPair[] => all.map(({ pair }) => pair)

test('one that is what is wanted, and marked since it was looked at, is not let go unsaid', async () => {
  const made = await db().managementCluster.create({ data: { name: 'm', server: 'https://127.0.0.1:1' } })
  const change = { clusterId: made.id, groupKind: 'KubeadmControlPlane', groupName: 'cp', namespace: 'n' }
  const look = (machines: KubeObject[], now = [compared('a')], kind = change.groupKind, mode = 'in-place') =>
    certainByNow(
      { mode, change: { ...change, groupKind: kind } },
      { group: object('cp'), source: { machines: () => Promise.resolve(machines) } },
      now,
      pairs(compared('a')),
    )
  expect(await look([object('a'), object('b')])).toBeNull()
  expect(await look([object('a'), object('b', true)])).toContain('b would be deleted by now')
  // It goes already; it is part of the change; nobody goes by it.
  expect(await look([object('b', true, { deletionTimestamp: '2026-01-01T00:00:00Z' })])).toBeNull()
  expect(await look([object('b', true)], [compared('a'), compared('b')])).toBeNull()
  expect(await look([object('b', true)], undefined, 'MachineDeployment')).toBeNull()
  expect(await look([], [compared('a', 'Its config is gone.')])).toContain('a would be replaced by now: Its config')
  // Replacing, what is old goes anyway; what is wanted was not shown to go.
  expect(await look([], [compared('a', 'Its config is gone.')], undefined, 'replace')).toBeNull()
  expect(await look([object('b', true)], undefined, undefined, 'replace')).toContain('b would be deleted by now')
  // Marked a moment ago: its row says so already, what was said of the change does not.
  const row = { ...change, id: randomUUID(), name: 'b', provider: 'cluster.x-k8s.io', workloadCluster: 'w' }
  await db().machine.create({
    data: {
      ...{
        ...row,
        resourceVersion: '1',
        deleteMarked: true,
        phase: 'Running',
        state: 'ready',
        severity: 0,
        sentence: '',
      },
      createdAt: new Date(),
    },
  })
  expect(await look([object('b', true)])).toContain('b would be deleted by now')
  // It was marked when it was looked at: that is what was said.
  await db().machine.update({ where: { id: row.id }, data: { verdict: 'replace' } })
  expect(await look([object('b', true)])).toBeNull()
})
