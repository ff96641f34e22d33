import { expect, test } from 'vitest'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { JsonObject } from '../../../lib/domain/json'
import { readImageSet } from '../../../lib/providers/openshift/image-sets'
import { openShiftFleet } from '../fleet'
import { amiOf } from '../seed'
import { contextOf } from './boot-images'
import { all, one, R, STREAMS, type Env } from './env'

const ARCH = 'capacity.cluster-autoscaler.kubernetes.io/labels'
const SETS: readonly string[] = [R.machineSets, R.controlPlanes]

/** The fleet as it is made, with its sets as they are given. */
function fleet(change: (object: JsonObject, value: JsonObject) => void): Env {
  const seeds = openShiftFleet({ name: 'bay', platform: 'AWS' })
  for (const { resource, object } of seeds) {
    if (!SETS.includes(resource)) continue
    const { template } = object.spec as Record<string, Record<string, JsonObject>>
    const { spec } = (template!.machines_v1beta1_machine_openshift_io ?? template) as Record<string, JsonObject>
    change(object as unknown as JsonObject, (spec!.providerSpec as JsonObject).value as JsonObject)
  }
  const of = (resource: string) => seeds.flatMap((seed) => (seed.resource === resource ? [seed.object] : []))
  const keyOf = ({ metadata: { namespace, name } }: { metadata: { namespace?: string; name: string } }) =>
    namespace ? `${namespace}/${name}` : name
  const store = {
    list: of,
    get: (resource: string, key: string) => of(resource).find((object) => keyOf(object) === key),
  }
  return { store } as unknown as Env
}
const decided = (env: Env, resource: string) => {
  const context = contextOf(env, one(env, R.configMaps, STREAMS))
  // Whether the Secret is there is no matter here.
  return all(env, resource).map((object) => bootImageState(readImageSet(object), { ...context, data: undefined }))
}

test('the operator writes the image of its own architecture into the control plane’s set, beside machine sets for another', () => {
  const env = fleet(({ metadata }) => ((metadata as JsonObject).annotations = { [ARCH]: 'kubernetes.io/arch=arm64' }))
  expect(decided(env, R.controlPlanes)).toMatchObject([{ outcome: 'update', wanted: amiOf('4.22.4', 'us-east-1') }])
  expect(decided(env, R.machineSets)[0]?.wanted).toBe(amiOf('4.22.4-aarch64', 'us-east-1'))
})

test('the operator recognises the release’s image for another architecture, and replaces it', () => {
  const env = fleet((_, value) => (value.ami = { id: amiOf('4.22.4-aarch64', 'us-east-1') }))
  for (const found of decided(env, R.machineSets))
    expect(found).toMatchObject({ state: 'outdated', outcome: 'update', wanted: amiOf('4.22.4', 'us-east-1') })
})
