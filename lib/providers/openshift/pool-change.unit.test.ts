import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { poolChange } from './pool-change'

const A = 'rendered-worker-a'
/** Nine nodes of which so many have what the pool wants, which is what all of them had before. */
const pool = (updated: number, observedGeneration = 3): KubeObject => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name: 'worker', uid: 'u', resourceVersion: '1', generation: 3, creationTimestamp: '' },
  spec: { configuration: { name: A } },
  status: { machineCount: 9, updatedMachineCount: updated, observedGeneration, configuration: { name: A } },
  built: null,
})
const change = (object: KubeObject, rows: number) =>
  poolChange(
    object,
    () => Promise.resolve({ unread: 'no' }),
    () => Promise.resolve({ nodes: rows, images: 0 }),
  )

test.each([
  ['all there', 9, 0, null],
  ['by the operator, though no row tells of them', 7, 0, 2],
  ['by rows that are newer than what it counted', 9, 3, 3],
  ['by both, the more', 8, 4, 4],
])('changed back in the middle, nodes are elsewhere %s', async (_, updated, rows, outdated) => {
  const found = await change(pool(updated), rows)
  expect(found?.step.outdated ?? null).toBe(outdated)
})

test('what the operator counted before it saw what is wanted says nothing', async () => {
  expect(await change(pool(0, 2), 0)).toBeNull()
  expect((await change(pool(9, 2), 2))?.step.outdated).toBe(2)
})

test('changed back in the middle, what differs is found from the config that most of those nodes have, and is told as no other change by that', async () => {
  const compared: (string | null)[] = []
  const back = (most: string | null) =>
    poolChange(
      pool(7),
      (from) => {
        compared.push(from)
        const changes = [
          {
            part: 'kernel argument' as const,
            name: 'nosmt',
            kind: 'removed' as const,
            current: null,
            desired: null,
            lines: null,
            note: null,
          },
        ]
        return Promise.resolve({
          ...{ versions: 'v', content: 'c', release: '4.22.4' },
          before: { release: '4.22.4', diff: { changes, effect: 'By default a node that takes this up is drained.' } },
        })
      },
      () => Promise.resolve({ nodes: 2, images: 0, most }),
    )
  const [few, more] = [await back(null), await back('rendered-worker-b')]
  expect(compared).toEqual([A, 'rendered-worker-b'])
  expect(more).toMatchObject({ again: true, step: { from: { name: 'rendered-worker-b' }, to: { name: A } } })
  expect(more!.pair).toMatchObject({ from: A, fingerprint: few!.pair.fingerprint })
})
