import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from '@/lib/providers/openshift/loose'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { objects, SETS } from '@/lib/providers/openshift/testing/samples'
import { writeSkew } from './write'

useTestDatabase()
const clusterId = randomUUID()
const GCP = 'projects/rhcos-cloud/global/images'
beforeAll(() => db().managementCluster.create({ data: { id: clusterId, name: 'tidal', server: 'https://x' } }))

async function project(scenario: string, sets: KubeObject[], platform: string): Promise<void> {
  const found = objects(scenario, sets)
  const infrastructure = { ...found.infrastructure!, status: { platformStatus: { type: platform } } } as KubeObject
  const rows = skewRows({ ...found, infrastructure }, true)
  const { judgement } = rows
  await writeSkew({ clusterId, fence: 0n, rows, judgement, passFailed: null, passStuck: null })
}
const set = (key: string, spec: JsonObject): KubeObject => {
  const one = structuredClone(SETS[key]!)
  one.metadata.uid = randomUUID()
  Object.assign(at(one, 'spec', 'template', 'spec', 'providerSpec', 'value')!, spec)
  return one
}
const verdict = async () => (await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })).verdict

test.each<[string, KubeObject, string]>([
  ['AWS', set('aws.outdated', { ami: { id: 'ami-0\0' } }), 'ami-0'],
  [
    'GCP',
    set('gcp.outdated', {
      disks: [{ boot: true, image: `${GCP}/rhcos-99999999999999999999-1-20250101-0-gcp-x86-64` }],
    }),
    `${GCP}/rhcos-99999999999999999999-1-20250101-0-gcp-x86-64`,
  ],
  [
    'Azure',
    set('azure.outdated', {
      image: { publisher: 'p', offer: 'o', sku: 's', version: `${'9'.repeat(400)}.1.20250101` },
    }),
    `p:o:s:${'9'.repeat(400)}.1.20250101`,
  ],
])(
  '%s: an image that Postgres cannot store or count with leaves the verdict free to change',
  async (platform, bad, current) => {
    await project('automatic', [], platform)
    expect(await verdict()).toBe('ok')
    await project('automatic-out-of-skew', [bad], platform)
    expect(await verdict()).toBe('out-of-skew')
    const [row] = await db().bootImageSet.findMany({ where: { clusterId } })
    expect(row).toMatchObject({ current, dated: null })
  },
)
