import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { configDiff } from '@/lib/domain/pools/config-diff'
import { drainOf } from '@/lib/domain/pools/drain'
import { phaseOf } from '@/lib/domain/pools/node-phase'
import { poolState } from '@/lib/domain/pools/state'
import { currentStep, stepsOf } from '@/lib/domain/pools/steps'
import type { KubeObject } from '@/lib/kubernetes/types'
import { poolOf, readConfigNode, slimNode } from './config-nodes'
import { poolRows } from './pool-rows'
import { pausedSince, readPool, readWanted } from './pools'
import { readDisruptionPolicies, readRendered, releaseOfConfig } from './rendered'

const sample = (name: string): KubeObject =>
  JSON.parse(readFileSync(new URL(`testing/samples/${name}.json`, import.meta.url), 'utf8')) as KubeObject
const PREFIX = 'machineconfiguration.openshift.io/'

function nodeOf(
  name: string,
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): KubeObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      ...{ name, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', labels },
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [PREFIX + key, value])),
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }], images: [{ names: ['large'] }] },
  }
}

describe('pools of a real API server', () => {
  it.each([
    ['master-updated', 'updated', 'All 3 nodes are up to date with 4.22.4.'],
    [
      'worker-updating',
      'updating',
      '2 of 6 nodes have the new configuration of 4.22.4, 1 is out of work. At most 1 at once.',
    ],
    [
      'infra-degraded',
      'degraded',
      '1 of 3 nodes cannot take up the configuration. infra-1: failed to drain node: infra-1 after 1 hour',
    ],
    ['edge-paused', 'behind', 'Paused and behind: its 4 nodes stay as they are while a configuration of 4.22.4 waits.'],
  ])('%s', (name, state, sentence) => {
    const pool = readPool(sample(`machineconfigpool.${name}`))
    expect(poolState(pool, { wanted: '4.22.4', desired: '4.22.4', clusterUpdating: false })).toMatchObject({
      state,
      sentence,
    })
    expect(pool.pending).toBe(false)
  })

  it('read percentages, pauses and who asked for them', () => {
    const edge = sample('machineconfigpool.edge-paused')
    expect(readPool(edge)).toMatchObject({ maxUnavailable: '10%', paused: true, currentConfig: 'rendered-edge-aaaa' })
    expect(pausedSince(edge)).toBeNull()
    const fieldsV1 = { 'f:spec': { 'f:paused': {} } }
    edge.metadata.managedFields = [{ manager: 'oc', time: '2026-11-01T00:00:00Z', fieldsV1 }]
    expect(pausedSince(edge)).toBe('2026-11-01T00:00:00Z')
    expect(pausedSince({ ...edge, spec: { ...edge.spec, paused: false } })).toBeNull()
  })

  it('paused, count nodes apart that are under way', () => {
    const edge = sample('machineconfigpool.edge-paused')
    const role = { 'node-role.kubernetes.io/edge': '' }
    edge.spec = { ...edge.spec, nodeSelector: { matchLabels: role } }
    const { desiredConfig } = readPool(edge)
    const nodes = ['a', 'b', 'c', 'd'].map((name) => {
      const begun = { desiredConfig: desiredConfig!, state: 'Working' }
      const old = { desiredConfig: 'rendered-edge-aaaa', state: 'Done' }
      const node = nodeOf(name, { currentConfig: 'rendered-edge-aaaa', ...(name === 'a' ? begun : old) }, role)
      return { ...node, metadata: { ...node.metadata, uid: name } }
    })
    const sentence = (some: KubeObject[]) =>
      poolRows(
        { pools: [edge], steps: new Map(), nodes: some, clusterVersion: undefined, releases: new Map() },
        new Map(),
        0,
      ).pools[0]!.sentence
    expect(sentence(nodes)).toBe(
      'Paused and behind: 3 of its 4 nodes stay as they are while a configuration waits; 1 that had begun goes through to the end.',
    )
    expect(sentence([])).toContain('nodes that have not begun stay as they are')
  })

  it('name the nodes that they wait for', () => {
    const edge = sample('machineconfigpool.edge-paused')
    const role = { 'node-role.kubernetes.io/edge': '' }
    const { desiredConfig } = readPool(edge)
    edge.spec = { ...edge.spec, paused: false, nodeSelector: { matchLabels: role } }
    edge.status = { ...edge.status, machineCount: 2, updatedMachineCount: 2, unavailableMachineCount: 1 }
    const has = { currentConfig: desiredConfig!, desiredConfig: desiredConfig!, state: 'Done' }
    const nodes = ['a', 'b'].map((name) => {
      const node = nodeOf(name, has, role)
      return { ...node, spec: { unschedulable: name === 'b' }, metadata: { ...node.metadata, uid: name } }
    })
    const objects = { pools: [edge], steps: new Map(), nodes, clusterVersion: undefined, releases: new Map() }
    expect(poolRows(objects, new Map(), 0).pools[0]!.sentence).toBe(
      'All 2 nodes have the new configuration, and it is done when b is available again.',
    )
  })

  it('get no younger in their pause by what their owner writes elsewhere', () => {
    const known = new Map()
    const paused = (time: string | null, is = true, manager = 'oc') => {
      const edge = sample('machineconfigpool.edge-paused')
      const fieldsV1 = { 'f:spec': { 'f:paused': {} } }
      edge.metadata.managedFields = time === null ? [] : [{ manager, time, fieldsV1 }]
      edge.spec = { ...edge.spec, paused: is }
      const objects = { pools: [edge], steps: new Map(), nodes: [], clusterVersion: undefined, releases: new Map() }
      return poolRows(objects, known, 0).pools[0]!.pausedSince?.toISOString().slice(0, 10) ?? null
    }
    expect(paused(null)).toBeNull()
    expect(paused('2026-11-01T00:00:00Z')).toBe('2026-11-01')
    expect(paused('2026-11-20T00:00:00Z')).toBe('2026-11-01')
    expect(paused(null)).toBe('2026-11-01')
    expect(paused('2026-11-21T00:00:00Z', false)).toBeNull()
    expect(paused('2026-11-22T00:00:00Z')).toBe('2026-11-22')
    // Resumed and paused again before anybody looked: whoever owns it by then paused it then.
    expect(paused('2026-11-23T00:00:00Z', true, 'drydock')).toBe('2026-11-23')
    expect(paused('2026-11-24T00:00:00Z', true, 'drydock')).toBe('2026-11-23')
  })

  it('of nothing are nothing, and throw at nothing', () => {
    const empty = readPool({
      ...sample('machineconfigpool.worker-updating'),
      spec: {},
      status: { certExpirys: [7], conditions: 'x' } as unknown as JsonObject,
    })
    expect(empty).toMatchObject({ desiredConfig: null, certificates: [], conditions: [] })
    expect(poolState(empty, { wanted: null, desired: null, clusterUpdating: false }).state).toBe('unknown')
    expect(readWanted(undefined)).toEqual({ wanted: null, updating: null })
  })
})

describe('nodes of a real API server', () => {
  const old = (state: string, desiredDrain: string, lastAppliedDrain: string) => ({
    ...{
      currentConfig: 'rendered-worker-aaaa',
      desiredConfig: 'rendered-worker-bbbb',
      state,
      desiredDrain,
      lastAppliedDrain,
    },
  })
  const drain = 'drain-rendered-worker-bbbb'
  const uncordon = 'uncordon-rendered-worker-aaaa'
  const done = { currentConfig: 'rendered-worker-bbbb', desiredConfig: 'rendered-worker-bbbb', state: 'Done' }

  it.each<[string, Record<string, string>, string, string | null, string | null]>([
    ['applying', old('Working', drain, drain), 'updating', 'AppliedFilesAndOS', null],
    ['draining', old('Working', drain, uncordon), 'draining', 'Drained', 'Its pods are being moved away.'],
    ['rebooting', old('Rebooting', drain, drain), 'rebooting', 'RebootedNode', null],
    ['updated', done, 'updated', null, null],
    [
      'drain-failing',
      { ...old('Degraded', drain, uncordon), reason: 'failed to drain node: infra-1 after 1 hour' },
      'degraded',
      'Drained',
      'A disruption budget keeps shop/db-0 where it is.',
    ],
  ])('%s', (name, annotations, phase, step, drains) => {
    const read = readConfigNode(nodeOf('n', annotations), 'worker', sample(`machineconfignode.${name}`))
    expect(phaseOf(read, { paused: false, desiredConfig: 'rendered-worker-bbbb' })).toBe(phase)
    expect(currentStep(stepsOf(read.steps))?.type ?? null).toBe(step)
    expect(drainOf(read.steps, read.draining)?.sentence ?? null).toBe(drains)
  })

  it('takes a placeholder for nothing, and does without a MachineConfigNode', () => {
    const step = sample('machineconfignode.applying')
    step.status = { configVersion: { current: 'a', desired: 'not-yet-set' }, conditions: [] }
    expect(readConfigNode(nodeOf('n'), 'worker', step)).toMatchObject({
      currentConfig: 'a',
      desiredConfig: 'rendered-worker-bbbb',
    })
    expect(readConfigNode(nodeOf('n'), 'worker', undefined)).toMatchObject({ currentConfig: null, steps: null })
  })

  it('whose drain failed stays so while it is tried again, until it has succeeded', () => {
    const known = new Map()
    const role = { 'node-role.kubernetes.io/edge': '' }
    const pool = sample('machineconfigpool.edge-paused')
    pool.spec = { ...pool.spec, paused: false, nodeSelector: { matchLabels: role } }
    const look = (drained: Record<string, string>, minutes: number) => {
      const step = sample('machineconfignode.draining')
      const conditions = step.status!.conditions as { type: string }[]
      step.status = {
        ...step.status,
        conditions: conditions.map((one) => (one.type === 'Drained' ? { ...one, ...drained } : one)),
      } as JsonObject
      const node = nodeOf('n', old('Working', drain, drained.status === 'True' ? drain : uncordon), role)
      const objects = { pools: [pool], steps: new Map([['n', step]]), nodes: [node], clusterVersion: undefined }
      const now = Date.parse('2026-11-21T07:01:00Z') + minutes * 60_000
      const row = poolRows({ ...objects, releases: new Map() }, known, now).nodes[0]!
      return [row.drain?.failing, row.sentence, row.stuckFrom?.toISOString().slice(11, 16)]
    }
    const failed = { message: 'Drain has not succeeded: error when evicting pod shop/db-0: disruption budget' }
    const waits = 'A disruption budget keeps shop/db-0 where it is.'
    expect(look({}, 1)).toEqual([false, 'Its pods are being moved away.', '07:31'])
    expect(look(failed, 2)).toEqual([true, waits, '07:11'])
    expect(look({ message: 'Draining node.', lastTransitionTime: '2026-11-21T07:12:00Z' }, 11)).toEqual([
      ...[true, waits, '07:11'],
    ])
    expect(look({ status: 'True' }, 12)[0]).toBeUndefined()
    expect(look({}, 13)[0]).toBe(false)
  })

  it('is kept without what is large, and read the same', () => {
    const node = nodeOf('n', old('Working', drain, uncordon), { 'node-role.kubernetes.io/worker': '' })
    node.metadata.annotations!['other'] = 'x'
    expect(readConfigNode(slimNode(node), 'worker', undefined)).toEqual(readConfigNode(node, 'worker', undefined))
    expect(JSON.stringify(slimNode(node))).not.toMatch(/large|other/)
  })
})

describe('the pool of a node', () => {
  const pools = ['master', 'worker', 'infra', 'edge', 'arbiter'].map((name): KubeObject => ({
    ...sample('machineconfigpool.worker-updating'),
    metadata: { ...sample('machineconfigpool.worker-updating').metadata, name },
    spec: { nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } },
  }))
  const labelled = (...roles: string[]) =>
    nodeOf('n', {}, Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])))

  it.each<[string[], string | null]>([
    [['worker'], 'worker'],
    [['master', 'worker'], 'master'],
    [['worker', 'infra'], 'infra'],
    [['master', 'infra'], 'master'],
    [['infra'], 'infra'],
    [['worker', 'infra', 'edge'], null],
    // To the operator the arbiter’s pool is a custom one.
    [['arbiter'], 'arbiter'],
    [['arbiter', 'infra'], null],
    [['other'], null],
  ])('%s: %s', (roles, pool) => {
    expect(poolOf(labelled(...roles), pools)).toBe(pool)
  })

  it('is none for Windows, and follows expressions', () => {
    const windows = labelled('worker')
    windows.metadata.labels!['kubernetes.io/os'] = 'windows'
    expect(poolOf(windows, pools)).toBeNull()
    const by = (operator: string, values?: string[]): KubeObject => ({
      ...pools[2]!,
      spec: { nodeSelector: { matchExpressions: [{ key: 'zone', operator, ...(values && { values }) }] } },
    })
    const node = nodeOf('n', {}, { zone: 'a' })
    const asked = [
      by('In', ['a']),
      by('NotIn', ['a']),
      by('Exists'),
      by('DoesNotExist'),
      by('Odd'),
      { ...pools[2]!, spec: {} },
    ]
    expect(asked.map((pool) => poolOf(node, [pool]))).toEqual(['infra', null, 'infra', null, null, null])
  })
})

describe('rendered configs', () => {
  const config = (spec: JsonObject): KubeObject => ({
    ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', spec },
    metadata: {
      ...{ name: 'rendered-worker-a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      annotations: { [`${PREFIX}release-image-version`]: '4.22.4' },
    },
  })
  const files = (...sources: [string, string?][]): JsonObject => ({
    config: {
      storage: {
        files: sources.map(([source, compression], i) => ({
          path: `/etc/${i}`,
          mode: 420,
          contents: { source, ...(compression && { compression }) },
        })),
      },
    },
  })

  it('are decoded, and what cannot be is compared by its digest', () => {
    const zipped = `data:;base64,${gzipSync('zipped\n').toString('base64')}`
    const read = readRendered(
      config(
        files(
          ['data:,plain%20text'],
          ['data:text/plain;charset=utf-8;base64,aGVsbG8='],
          [zipped, 'gzip'],
          ['https://x/y'],
          ['data:;base64,//8='],
          ['data:,%'],
          [`data:;base64,${gzipSync('x'.repeat(300_000)).toString('base64')}`, 'gzip'],
        ),
      ),
    )
    expect(read.files.map(({ text }) => text)).toEqual(['plain text', 'hello', 'zipped\n', null, null, null, null])
    expect(new Set(read.files.map(({ digest }) => digest)).size).toBe(7)
    expect([read.release, releaseOfConfig(config({}))]).toEqual(['4.22.4', '4.22.4'])
  })

  it('differ by what is in them', () => {
    const a = config({ osImageURL: 'old', fips: false, kernelArguments: ['a'], extensions: [], ...files(['data:,1']) })
    const b = config({
      osImageURL: 'new',
      fips: false,
      kernelArguments: ['a', 'b'],
      extensions: ['usbguard'],
      ...files(['data:,2']),
    })
    expect(configDiff(readRendered(a), readRendered(b)).changes.map(({ part, name }) => `${part} ${name}`)).toEqual([
      ...['value osImageURL', 'kernel argument b', 'extension usbguard', 'file /etc/0'],
    ])
    expect(configDiff(readRendered(a), readRendered(a)).changes).toEqual([])
    expect(readRendered(config({ config: 'odd' as unknown as JsonObject })).files).toEqual([])
  })

  it.each<[string, JsonObject]>([
    ['storage.links', { config: { storage: { links: [{ path: '/etc/localtime', target: '/x' }] } } }],
    ['storage.directories', { config: { storage: { directories: [{ path: '/a' }] } } }],
    ['storage.disks', { config: { storage: { disks: [{ device: '/dev/sda' }] } } }],
    ['storage.luks', { config: { storage: { luks: [{ name: 'a' }] } } }],
    ['passwd.groups', { config: { passwd: { groups: [{ name: 'a' }] } } }],
    ['kernelArguments', { config: { kernelArguments: { shouldExist: ['a'] } } }],
    ['ignition.security', { config: { ignition: { version: '3.5.0', security: { tls: {} } } } }],
    ['owners or headers of files', { config: { storage: { files: [{ path: '/etc/a', user: { name: 'core' } }] } } }],
    [
      'owners or headers of files',
      { config: { storage: { files: [{ path: '/etc/a', contents: { httpHeaders: [{ name: 'a', value: 'b' }] } }] } } },
    ],
    ['osLayering', { osLayering: 'x' }],
  ])('say that something else differs: %s', (name, spec) => {
    const base = config({
      config: { ignition: { version: '3.4.0' }, storage: { files: [{ path: '/etc/a' }], links: [] }, passwd: {} },
    })
    const more = { ...spec }
    if (name !== 'owners or headers of files' && spec.config)
      more.config = {
        ...(spec.config as JsonObject),
        storage: { files: [{ path: '/etc/a' }], ...((spec.config as JsonObject).storage as JsonObject) },
      }
    else if (!spec.config) more.config = { storage: { files: [{ path: '/etc/a' }] } }
    const { changes, effect } = configDiff(readRendered(base), readRendered(config(more)))
    expect(changes.map((change) => `${change.part} ${change.name} ${change.kind}`)).toEqual([`other ${name} added`])
    expect(effect).toContain('whether it is rebooted for it is not known')
  })

  it('go by the policies of the cluster, where the operator has taken up the newest', () => {
    const clusterPolicies = {
      files: [{ path: '/etc/a', actions: [{ type: 'Restart', restart: { serviceName: 'a.service' } }] }],
      units: [{ name: 'a.service', actions: [{ type: 'None' }] }],
      sshkey: { actions: [{ type: 'None' }] },
    }
    const of = (status: JsonObject, generation = 2): KubeObject => ({
      ...{ apiVersion: 'operator.openshift.io/v1', kind: 'MachineConfiguration', status },
      metadata: { ...config({}).metadata, name: 'cluster', generation },
    })
    const nodeDisruptionPolicyStatus = { clusterPolicies } as JsonObject
    expect(readDisruptionPolicies(of({ observedGeneration: 2, nodeDisruptionPolicyStatus }))).toEqual({
      files: [{ path: '/etc/a', actions: ['Restart'] }],
      units: [{ name: 'a.service', actions: ['None'] }],
      sshKey: ['None'],
    })
    expect(readDisruptionPolicies(of({ observedGeneration: 1, nodeDisruptionPolicyStatus }))).toBeNull()
    expect(readDisruptionPolicies(of({ observedGeneration: 2 }))).toBeNull()
  })
})
