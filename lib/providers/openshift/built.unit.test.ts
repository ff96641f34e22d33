import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { withBuilt } from './built'

const object = (name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineOSConfig' },
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '' },
  ...more,
})
const config = (pool: string, status?: JsonObject) =>
  object('any', { spec: { machineConfigPool: { name: pool } }, ...(status ? { status } : {}) })

test.each<[string, KubeObject[] | undefined, KubeObject['built']]>([
  ['that of another pool', [config('infra', { currentImagePullSpec: 'x' })], null],
  ['none yet', [config('worker')], { image: null }],
  ['one', [config('infra'), config('worker', { currentImagePullSpec: 'x' })], { image: 'x' }],
  ['as v1alpha1 spelt it', [config('worker', { currentImagePullspec: 'x' })], { image: 'x' }],
  ['not to be read', undefined, undefined],
])('the image that is built for a pool: %s', (_, configs, built) =>
  expect(withBuilt(object('worker'), configs).built).toEqual(built),
)
