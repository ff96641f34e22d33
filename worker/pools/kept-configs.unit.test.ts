import { expect, test } from 'vitest'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { KubeError } from '@/lib/kubernetes/types'
import { keptConfigs } from './kept-configs'

const config = (name: string, resourceVersion: string, text: string): KubeObject => ({
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' },
  metadata: { name, uid: name, resourceVersion, creationTimestamp: '' },
  spec: { kernelArguments: [text] },
})

function cluster() {
  const objects = new Map([config('a', '1', 'one'), config('b', '1', 'two')].map((o) => [o.metadata.name, o]))
  const asked: string[] = []
  const get = (_: unknown, name: string) => {
    asked.push(name)
    const found = objects.get(name)
    if (found) return Promise.resolve(found)
    return Promise.reject(new KubeError(404, { kind: 'Status', code: 404 }, name))
  }
  let now = 0
  const view = { client: { get } as unknown as KubeClient }
  return { objects, asked, compare: () => keptConfigs(view, () => now)('a', 'b'), wait: (ms: number) => (now += ms) }
}

test('two configs are compared once, and anew where one of them was edited', async () => {
  const { objects, asked, compare, wait } = cluster()
  const first = await compare()
  expect(await compare()).toBe(first)
  expect(asked).toEqual(['b', 'a'])
  // Asked whether they are the same objects; what differs is not found again.
  wait(31_000)
  expect(await compare()).toBe(first)
  expect(asked).toHaveLength(4)
  objects.set('b', config('b', '2', 'three'))
  wait(31_000)
  const second = await compare()
  expect(second).not.toEqual(first)
  // What nobody asks for is forgotten, and nothing of the configs themselves was kept.
  expect(JSON.stringify(second).length).toBeLessThan(1_000)
  wait(700_000)
  expect(await compare()).not.toBe(second)
  expect(await compare()).toMatchObject({ before: { diff: { changes: [{ name: 'one' }, { name: 'three' }] } } })
})

test('what could not be read is asked for again at once', async () => {
  const { objects, compare } = cluster()
  const b = objects.get('b')!
  objects.delete('b')
  expect(await compare()).toMatchObject({ unread: expect.stringContaining('does not exist') as string })
  objects.set('b', b)
  expect(await compare()).toHaveProperty('content')
})
