import { expect, test } from 'vitest'
import { KubeError, type KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView } from '../types'
import { Releases } from './releases'

const RELEASE = 'machineconfiguration.openshift.io/release-image-version'

test('a config that is gone is asked for ever more seldom, one that is forbidden each minute; both are known when they are there', async () => {
  let now = 0
  let code = 404
  const asked: number[] = []
  const config: KubeObject = {
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' },
    metadata: {
      name: 'a',
      uid: 'a',
      resourceVersion: '1',
      creationTimestamp: '',
      annotations: { [RELEASE]: '4.22.4' },
    },
  }
  const get = () => {
    asked.push(now / 60_000)
    return code === 0 ? Promise.resolve(config) : Promise.reject(new KubeError(code, { kind: 'Status', code }, 'a'))
  }
  const view = { client: { get } } as unknown as ClusterView
  const releases = new Releases(() => now)
  const minutes = async (until: number) => {
    for (; now <= until * 60_000; now += 60_000) await releases.read(view, ['a'])
  }
  await minutes(400)
  expect(asked).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363])
  // Nobody waits for it.
  expect(releases.known.get('a')).toBeNull()
  code = 0
  await minutes(460)
  expect(releases.known.get('a')).toBe('4.22.4')
  await releases.read(view, [])
  asked.length = 0
  code = 403
  now = 0
  await minutes(3)
  expect(asked).toEqual([0, 1, 2, 3])
  expect(releases.known.has('a')).toBe(false)
})
