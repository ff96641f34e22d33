import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../../lib/domain/json'
import { at } from '../../../lib/providers/openshift/loose'
import { startApiServer, type RunningApiServer } from '../../apiserver'
import type { SandboxObject, StoreEvent, WriteAs } from '../../types'
import { startOpenShiftControllers } from '../controllers'
import { R, STREAMS } from '../controllers/env'
import { openShiftResources } from '../resources'
import { seed, type Seed } from '../seed'
import { playSequenceStep, type RecordedEvent, type Seen, type SequenceStep } from './sequences'

const SOMEBODY: WriteAs = { user: 'kim', groups: ['system:masters'], fieldManager: 'kubectl-edit' }
const API = 'openshift-machine-api'
const SPEED = 40
const at1 = '2026-01-01T00:00:00Z'
const image = (name: string, project = 'rhcos-cloud') => `projects/${project}/global/images/${name}`

const stream = (name: string) =>
  JSON.stringify({ stream: 's', architectures: { x86_64: { images: { gcp: { project: 'rhcos-cloud', name } } } } })
const set = (name: string, disk: string, secret = 'worker-user-data', labels: Record<string, string> = {}) => ({
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'MachineSet',
  metadata: { name, namespace: API },
  spec: {
    replicas: 1,
    template: {
      metadata: { labels },
      spec: { providerSpec: { value: { disks: [{ boot: true, image: disk }], userDataSecret: { name: secret } } } },
    },
  },
})
const one = (resource: string, kind: string, name: string, more: Partial<Parameters<typeof seed>[2]>): Seed =>
  seed(resource, 'own', { apiVersion: 'config.openshift.io/v1', kind, name, createdAt: at1, ...more })
const stub = { userData: Buffer.from('{"ignition":{"version":"3.2.0"}}').toString('base64') }

let server: RunningApiServer
let controllers: { stop(): Promise<void> }
let events: RecordedEvent[] = []
const steps: SequenceStep[] = []
let last = Date.now()
let seen: Seen = {}

function seenOf(object: SandboxObject): Seen {
  const said = (type: string) => {
    const c = ((object.status?.conditions ?? []) as JsonObject[]).find((x) => x.type === type)
    return c && { status: c.status as string, reason: c.reason as string, message: c.message as string }
  }
  return {
    generation: object.metadata.generation,
    observedGeneration: (object.status?.observedGeneration ?? 0) as number,
    machineManagers: at(object, 'status', 'managedBootImagesStatus', 'machineManagers') as never,
    skew: at(object, 'status', 'bootImageSkewEnforcementStatus') as never,
    progressing: said('BootImageUpdateProgressing'),
    degraded: said('BootImageUpdateDegraded'),
  }
}

function record({ resource, type, object }: StoreEvent): void {
  const t = Date.now() / 1000
  if (resource === R.machineSets && type === 'MODIFIED')
    events.push({ t, machineSetPatched: `${object.metadata.name} gen ${object.metadata.generation}` })
  if (resource !== R.configuration || type === 'DELETED') return
  const now = seenOf(object)
  const change = Object.entries(now).filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(seen[k as keyof Seen]))
  seen = now
  last = Date.now()
  if (change.length) events.push({ t, machineConfiguration: Object.fromEntries(change) as Seen })
}

/** What somebody does, and all that comes of it until nothing more does. */
async function course(step: string, what: () => unknown, input: string | null = null): Promise<SequenceStep> {
  events = []
  last = Date.now()
  await what()
  for (const deadline = Date.now() + 20_000; Date.now() < deadline && Date.now() - last < 600;)
    await new Promise((resolve) => setTimeout(resolve, 20))
  steps.push({ step, input, events })
  return steps.at(-1) as SequenceStep
}

beforeAll(async () => {
  server = await startApiServer({
    families: ['openshift'],
    resources: openShiftResources(),
    objects: [
      ...[API, 'openshift-machine-config-operator'].map((n) => one('namespaces', 'Namespace', n, { apiVersion: 'v1' })),
      one(R.clusterVersions, 'ClusterVersion', 'version', {
        status: { history: ['4.22.3', '4.12.40'].map((version) => ({ state: 'Completed', version })) },
      }),
      one(R.infrastructures, 'Infrastructure', 'cluster', {
        status: { platformStatus: { type: 'GCP' }, controlPlaneTopology: 'HighlyAvailable' },
      }),
      one('secrets', 'Secret', 'worker-user-data', { apiVersion: 'v1', namespace: API, data: stub }),
      one(R.configMaps, 'ConfigMap', 'coreos-bootimages', {
        apiVersion: 'v1',
        namespace: 'openshift-machine-config-operator',
        data: { releaseVersion: '4.22.3', stream: stream('rhcos-new') },
      }),
    ],
  })
  for (const object of [
    set('a-current', image('rhcos-new')),
    set('b-old', image('rhcos-old')),
    set('c-windows', image('x'), undefined, { 'machine.openshift.io/os-id': 'Windows' }),
  ])
    await server.store.create(R.machineSets, object as unknown as JsonObject, SOMEBODY)
  server.store.subscribe(record)
})
afterAll(async () => {
  await controllers?.stop()
  await server?.stop()
})

const sets = {
  merge: (name: string, patch: JsonObject) => server.store.merge(R.machineSets, `${API}/${name}`, patch, SOMEBODY),
}
const revert = () =>
  sets.merge('b-old', {
    spec: { template: { spec: { providerSpec: { value: { disks: [{ boot: true, image: image('rhcos-old') }] } } } } },
  })
const configure = (spec: JsonObject) => server.store.merge(R.configuration, 'cluster', { spec }, SOMEBODY)

test('what the sandbox’s controllers write is a course by the rules', async () => {
  const { store } = server
  const create = (object: object) => store.create(R.machineSets, object as JsonObject, SOMEBODY)
  await course(
    'start',
    () =>
      (controllers = startOpenShiftControllers(store, { speed: SPEED, life: false, onError: (e) => console.error(e) })),
    'GCP, history 4.22.3 (Completed) <- 4.12.40 (Completed); ConfigMap releaseVersion 4.22.3',
  )
  expect(seen.skew).toEqual({ mode: 'Automatic', automatic: { ocpVersion: '4.22.3' } })
  await course('an image of somebody’s own', () => create(set('d-custom', image('x', 'corp'))))
  expect(seen.skew).toEqual({ mode: 'Automatic', automatic: { ocpVersion: '4.12.40' } })
  await course('without it', () => store.delete(R.machineSets, `${API}/d-custom`, SOMEBODY))
  await course('a missing secret', () => create(set('e-nosecret', image('rhcos-old'), 'later')))
  expect(seen.degraded).toMatchObject({ status: 'True' })
  expect(seen.degraded?.message).toMatch(
    /e-nosecret, err: error grabbing user data secret referenced in machineset: secrets "later" not found$/,
  )
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'later', namespace: API }, data: stub }
  const alone = await course('the secret, which nobody looks at', () =>
    store.create('secrets', secret as never, SOMEBODY),
  )
  expect(alone.events).toEqual([])
  await course('a touch', () => sets.merge('a-current', { metadata: { labels: { touched: 'yes' } } }))
  expect(seen.degraded).toMatchObject({ status: 'False' })
  for (const time of ['once', 'twice', 'three times']) await course(`put back ${time}`, revert)
  expect(seen.degraded?.message).toMatch(
    /Error\(s\): error syncing MAPI MachineSet b-old: refusing to reconcile machineset b-old, hot loop detected\. Please opt-out .* to resume boot image updates$/,
  )
  const manual = { mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: '9.6.20251023-0' } }
  await course('acknowledged', () => configure({ bootImageSkewEnforcement: manual }))
  const off = [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'None' } }]
  await course('off', () => configure({ managedBootImages: { machineManagers: off } }))
  await course('as it was', () => configure({ bootImageSkewEnforcement: null, managedBootImages: null }))
  const oops = { data: { stream: '{"stream": oops' } }
  await course('a stream that is no JSON', () => store.merge(R.configMaps, STREAMS, oops, SOMEBODY))
  expect(seen.degraded?.message).toContain(
    `failed to parse CoreOS stream metadata: invalid character 'o' looking for beginning of value`,
  )
  await course('no ConfigMap', () => store.delete(R.configMaps, STREAMS, SOMEBODY))
  expect(seen.degraded?.message).toContain('config map')

  expect(steps.map((step) => [step.step, playSequenceStep(step, steps)])).toEqual(
    steps.map((step) => [step.step, { id: step.step, exceptions: [] }]),
  )
})
