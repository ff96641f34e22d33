import { expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readImageContext } from './image-sets'

const object = (status: object): KubeObject => ({ metadata: { name: 'x' }, status }) as unknown as KubeObject
const of = (platform: string, version: string, to?: string) => {
  const begun = to ? [{ state: 'Partial', version: to }] : []
  const { early, listed, limited } = readImageContext({
    infrastructure: object({ platformStatus: { type: platform } }),
    clusterVersion: object({ history: [...begun, { state: 'Completed', version }] }),
    controlPlaneArch: null,
  })
  return { early, listed, limited }
}

test('while a cluster is updated its operator may be of either release', () => {
  expect(of('AWS', '4.18.9')).toEqual({ early: 'yes', listed: true })
  expect(of('AWS', '4.18.9', '4.19.1')).toEqual({ early: 'some', listed: true })
  expect(of('AWS', '4.19.1')).toEqual({ listed: true })
  expect(of('AWS', '4.22.4')).toEqual({ listed: true, limited: true })
  expect(of('AWS', '4.22.4', '4.23.1')).toEqual({ limited: true })
  expect(of('AzureStack', '4.21.4', '4.22.1')).toEqual({})
})
