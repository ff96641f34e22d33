import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { JsonObject } from '@/lib/domain/json'
import { CONFIG_MAP, objects, SCENARIOS, SETS } from '@/lib/providers/openshift/testing/samples'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { ClusterView, Heard, Silent } from '../types'
import { judgeAnew, skewConsumer } from '.'

useTestDatabase()
const clusterId = randomUUID()
const PLANES = 'controlplanemachinesets.machine.openshift.io'
const MAP = 'configmaps/coreos-bootimages'
const OLD = 'projects/rhcos-cloud/global/images/rhcos-48-84-202208021106-0-gcp-x86-64'
const sample = objects('automatic')
const infrastructure = {
  ...SCENARIOS.automatic!.infrastructure,
  status: {
    ...{ controlPlaneTopology: 'HighlyAvailable', infrastructureName: 'spar-p0r7n' },
    platformStatus: { type: 'GCP' },
  },
}
const master = { metadata: { labels: { 'node-role.kubernetes.io/master': '', 'kubernetes.io/arch': 'amd64' } } }

type Template = { template: { spec: { providerSpec: { value: { disks: { image: string }[] } } } } }
function withImage(image: string): KubeObject {
  const made = structuredClone(SETS['gcp.current']!)
  ;(made.spec as Template).template.spec.providerSpec.value.disks[0]!.image = image
  return made
}
function plane(made: KubeObject): KubeObject {
  const { spec } = (made.spec as Template).template
  return {
    ...{ ...made, kind: 'ControlPlaneMachineSet', metadata: { ...made.metadata, name: 'cluster', uid: randomUUID() } },
    spec: {
      state: 'Active',
      template: { machines_v1beta1_machine_openshift_io: { spec: spec as unknown as JsonObject } },
    },
  }
}
const set = plane(withImage(OLD))
const goodPlane = plane(SETS['gcp.current']!)
const former = [{ image: 'i', dated: '4.16.0', sure: 'likely' }]

let configuration = sample.machineConfiguration!
let worker = SETS['gcp.current']!
let planes: KubeObject[] = []
let map: KubeObject | null = CONFIG_MAP
const heard: Record<string, Heard> = {}
let silent = new Map<string, Silent>()
const kept = (): Record<string, Record<string, unknown>> => ({
  'machineconfigurations.operator.openshift.io': { cluster: configuration },
  'infrastructures.config.openshift.io': { cluster: infrastructure },
  'clusterversions.config.openshift.io': { version: sample.clusterVersion },
  'machinesets.machine.openshift.io': { 'openshift-machine-api/a': worker },
  [PLANES]: Object.fromEntries(planes.map((one) => [`openshift-machine-api/${one.metadata.name}`, one])),
  configmaps: map ? { 'openshift-machine-config-operator/coreos-bootimages': map } : {},
  nodes: { master },
})
const view = {
  ...{ clusterId, name: 'atoll', fence: 0n, silent: () => silent },
  heard: (stream: string) => heard[stream] ?? 'listed',
  capabilities: { resources: { [PLANES]: 'v1' }, missingPermissions: [], openshift: { skew: true } },
  objects: (resource: string) => new Map(Object.entries(kept()[resource] ?? {})),
} as unknown as ClusterView

const listed = (...found: KubeObject[]) => {
  ;[planes, map, silent] = [found, CONFIG_MAP, new Map()]
  Object.assign(heard, { [PLANES]: 'listed', [MAP]: 'listed' })
}
const open = (stream = PLANES) => {
  if (stream === PLANES) planes = []
  else map = null
  ;[heard[stream], silent] = ['open', new Map()]
}
/** As it is told of 20 seconds later. */
const refused = (stream = PLANES) => {
  heard[stream] = 'refused'
  silent = new Map([[stream, { message: `${stream.split(/[./]/)[0]} is forbidden`, isListed: false }]])
}
async function begun() {
  skewConsumer.forget?.(view)
  await skewConsumer.onSynced(view)
  return card()
}
const card = async () => {
  const { nodeRisk, nodeRiskWhy, risk } = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  return { nodeRisk, nodeRiskWhy, risk }
}
const flag = async () => (await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })).flaggedWhy
const rows = () => db().bootImageSet.findMany({ where: { clusterId, kind: 'ControlPlaneMachineSet' } })

beforeAll(() => db().managementCluster.create({ data: { id: clusterId, name: 'atoll', server: '' } }))
beforeEach(async () => {
  await db().openShiftCluster.deleteMany()
  await db().bootImageSet.deleteMany()
})
afterEach(() => {
  vi.useRealTimers()
  ;[worker, configuration] = [SETS['gcp.current']!, sample.machineConfiguration!]
  skewConsumer.forget?.(view)
})

test('a worker that begins takes back nothing that is told by the control plane’s set before that is listed', async () => {
  listed(set)
  const before = await begun()
  expect(before.nodeRisk).toBe('likely')
  await db().bootImageSet.updateMany({ where: { kind: 'ControlPlaneMachineSet' }, data: { former } })
  const [row] = await rows()
  open()
  expect(await begun()).toEqual(before)
  expect(await rows()).toEqual([row])
  refused()
  await judgeAnew(view)
  expect(await card()).toMatchObject({
    ...{ nodeRisk: 'likely', risk: before.risk },
    nodeRiskWhy: `${before.nodeRiskWhy} That may be old: its ControlPlaneMachineSet cannot be read: controlplanemachinesets is forbidden.`,
  })
  expect(await rows()).toEqual([row])
  // Another worker begins, and may not read it either.
  expect((await begun()).nodeRisk).toBe('likely')
  listed(set)
  await judgeAnew(view)
  expect(await card()).toEqual(before)
  expect(await rows()).toEqual([row])
  listed()
  await judgeAnew(view)
  expect(await rows()).toEqual([])
  expect((await card()).nodeRisk).toBe('no')
})

test('what was good stays so while it is listed, and not where it may not be read', async () => {
  listed()
  const before = await begun()
  expect(before.nodeRisk).toBe('no')
  open()
  expect(await begun()).toEqual(before)
  refused()
  await judgeAnew(view)
  expect((await card()).nodeRisk).toBe('unknown')
  open()
  expect(await begun()).toMatchObject({
    ...{ nodeRisk: 'unknown', nodeRiskWhy: 'Whether a new machine joins is not known: its ControlPlaneMachineSet has not been listed yet.' }, // prettier-ignore
  })
})

test('a control plane’s set that is gone goes as soon as it is listed that there is none, and not before', async () => {
  listed(goodPlane)
  await begun()
  open()
  await begun()
  expect(await rows()).toHaveLength(1)
  listed()
  await skewConsumer.onChanges!(view, [])
  await vi.waitFor(async () => expect(await rows()).toEqual([]), { timeout: 20_000, interval: 100 })
})

test('of a cluster that was never judged nothing is called good before it is listed', async () => {
  open()
  expect((await begun()).nodeRisk).toBe('unknown')
  listed()
  await judgeAnew(view)
  expect((await card()).nodeRisk).toBe('no')
})

const told = async () => {
  const { evidence, confidence, unheardWhy, nodeRisk } = await db().openShiftCluster.findUniqueOrThrow({
    where: { clusterId },
  })
  return { best: (evidence as { best: unknown }).best, confidence, unheardWhy, nodeRisk }
}
const sets = () => db().bootImageSet.findMany({ where: { clusterId }, orderBy: { kind: 'asc' } })
const UNREAD = {
  ...{ state: 'unknown', outcome: 'not-known', wanted: null },
  reason: 'Which image the release wants is not known: the ConfigMap coreos-bootimages has not been read.',
}

test('the images of the release are not told as missing before they are listed, or where they may not be read', async () => {
  listed()
  const before = [await begun(), await told(), await sets()]
  expect(before[1]).toMatchObject({ best: { version: '4.22.3' } })
  open(MAP)
  // A list takes a moment.
  expect([await begun(), await told(), await sets()]).toEqual(before)
  vi.useFakeTimers({ now: Date.now() + 6_000, toFake: ['Date'] })
  await judgeAnew(view)
  expect(await sets()).toMatchObject([UNREAD])
  expect(await told()).toEqual({ best: null, confidence: 'unknown', unheardWhy: null, nodeRisk: 'unknown' })
  refused(MAP)
  await judgeAnew(view)
  expect(await sets()).toMatchObject([UNREAD])
  expect(await told()).toEqual({
    ...{ best: null, confidence: 'unknown', nodeRisk: 'unknown' },
    unheardWhy: 'Its ConfigMap coreos-bootimages cannot be read: configmaps is forbidden.',
  })
  listed()
  await judgeAnew(view)
  expect([await card(), await told(), await sets()]).toEqual(before)
  map = null
  await judgeAnew(view)
  expect((await sets())[0]).toMatchObject({ outcome: 'error', reason: expect.stringContaining('missing') as string })
})

test('what was bad by the images of the release is not taken back where these may not be read', async () => {
  listed(set)
  expect((await begun()).nodeRisk).toBe('likely')
  open(MAP)
  refused(MAP)
  expect((await begun()).nodeRisk).toBe('likely')
})

test.each([PLANES, MAP])(
  'what was bad by a set that is repaired since is not told of while %s may not be read',
  async (stream) => {
    worker = withImage(OLD)
    listed(goodPlane)
    expect((await begun()).nodeRisk).toBe('likely')
    open(stream)
    refused(stream)
    expect((await begun()).nodeRisk).toBe('likely')
    worker = SETS['gcp.current']!
    await judgeAnew(view)
    expect((await card()).nodeRisk).toBe('unknown')
    expect((await begun()).nodeRisk).toBe('unknown')
  },
)

test('of two sets that were bad the one that is repaired takes nothing back', async () => {
  worker = withImage(OLD)
  listed(set)
  await begun()
  open()
  refused()
  await begun()
  worker = SETS['gcp.current']!
  await judgeAnew(view)
  expect((await card()).nodeRisk).toBe('likely')
})

test('what was bad, and found good since, does not come back while it is listed anew', async () => {
  worker = withImage(OLD)
  listed(goodPlane)
  await begun()
  await begun()
  worker = SETS['gcp.current']!
  await judgeAnew(view)
  expect((await card()).nodeRisk).toBe('no')
  open()
  await judgeAnew(view)
  expect((await card()).nodeRisk).toBe('no')
})

test('that the evidence speaks against an acknowledgement stands where the images of the release may not be read', async () => {
  const manual = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.99.0' } }
  const said = sample.machineConfiguration!
  configuration = {
    ...said,
    spec: { ...(said.spec as JsonObject), bootImageSkewEnforcement: manual },
    status: { ...(said.status as JsonObject), bootImageSkewEnforcementStatus: manual },
  }
  listed()
  await begun()
  const before = await flag()
  expect(before).toMatch(/^4\.99\.0 was acknowledged/)
  open(MAP)
  refused(MAP)
  await judgeAnew(view)
  expect(await flag()).toBe(before)
  await begun()
  expect(await flag()).toBe(before)
  // Nobody acknowledges it any more.
  configuration = said
  await judgeAnew(view)
  expect(await flag()).toBeNull()
})
