import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bootImageState } from '../../../lib/domain/boot-images/state'
import type { JsonObject } from '../../../lib/domain/json'
import type { KubeObject } from '../../../lib/kubernetes/types'
import { readImageContext, readImageSet } from '../../../lib/providers/openshift/image-sets'
import { OWN, type BootImageRow } from '../golden/boot-images'
import { cloudOf, configMapOf, dataOf, type Catalog } from '../golden/catalog'
import { whole } from '../golden/table'
import { operatorError } from './operator-error'
import { streamName } from './stream-error'

const text = readFileSync(join(import.meta.dirname, '../golden/tables/boot-images.json'), 'utf8')
const { catalog, rows } = JSON.parse(text) as { catalog: Catalog; rows: BootImageRow[] }
const failing = rows.filter(
  ({ in: { machineSets }, out }) =>
    machineSets.length === 1 && out.decision === 'error' && String(out.degraded?.message).includes('Error(s): '),
)

function decided({ in: given }: BootImageRow) {
  const object = (kind: string, name: string, value: JsonObject | null) =>
    value ? whole(kind, name, value) : undefined
  const data = configMapOf(catalog, given.configMap)
  const context = readImageContext({
    configMap: data && ({ ...whole('ConfigMap', 'coreos-bootimages', {}), data } as KubeObject),
    infrastructure: object('Infrastructure', 'cluster', given.infrastructure),
    clusterVersion: object('ClusterVersion', 'version', given.clusterVersion),
    controlPlaneArch: OWN,
    data: dataOf(catalog, given.secrets),
    cloud: cloudOf(catalog, []),
  })
  const set = readImageSet(whole('MachineSet', 'set-0', given.machineSets[0]!))
  const image = bootImageState(set, context)
  return { cause: image.cause, said: operatorError(set, image, context, streamName(data?.stream)) }
}

const CLOUD = ['cloud', 'template', 'download', 'no-map', 'bad-map', 'bad-spec', 'no-infrastructure']
const known = failing.map((row) => ({ row, ...decided(row) })).filter(({ cause }) => !CLOUD.includes(cause))

test.each(
  known.map(({ row, cause, said }) => [row.id, cause, String(said), String(row.out.degraded?.message)] as const),
)('what the operator says is said in its words: %s (%s)', (_, __, said, message) => {
  expect(message.endsWith(`: ${said}`) ? said : message).toBe(said)
})

test('each of the causes that are told by words is among the recorded ones', () => {
  expect([...new Set(known.map(({ cause }) => cause))].sort()).toEqual(
    ['bad-arch', 'credentials', 'not-in-release', 'unknown-offer', 'user-data', 'workspace'], // prettier-ignore
  )
})

test.each([
  ['MachineSet', 'machineset'],
  ['ControlPlaneMachineSet', 'ControlPlaneMachineSet'],
])('without Infrastructure it says of a %s what it cannot fetch', (kind, said) => {
  const context = readImageContext({ controlPlaneArch: OWN })
  const set = readImageSet(whole(kind, 'set-0', {}))
  expect(operatorError(set, bootImageState(set, context), context)).toBe(
    `failed to fetch infra object during ${said} sync: infrastructure.config.openshift.io "cluster" not found`,
  )
})
