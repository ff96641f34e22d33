import jsonpatch from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { canUpdate, COVERED, patchCovered } from './can-update'
import type { HookObject, HookRequest, Patch } from './types'
import { Updates } from './update'

const object = (kind: string, spec: Record<string, unknown>): HookObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: { name: 'm', namespace: 'ns', labels: { 'cluster.x-k8s.io/cluster-name': 'c' } },
  spec,
})
const machine = (version: string, more = {}) => object('Machine', { version, clusterName: 'c', ...more })
const config = (spec: Record<string, unknown>) => object('KubeadmConfig', spec)
const applied = (target: HookObject, patch: Patch | undefined) =>
  patch
    ? jsonpatch.applyPatch(structuredClone(target), JSON.parse(Buffer.from(patch.patch, 'base64').toString()), true)
        .newDocument
    : target

describe('what it says it can do', () => {
  it('turns current into desired where only covered fields differ', () => {
    const join = { nodeRegistration: { criSocket: 'x', kubeletExtraArgs: [{ name: 'max-pods', value: '110' }] } }
    const more = {
      nodeRegistration: { ...join.nodeRegistration, kubeletExtraArgs: [{ name: 'max-pods', value: '160' }] },
    }
    const request: HookRequest = {
      current: {
        machine: machine('v1.34.0'),
        bootstrapConfig: config({ joinConfiguration: join, files: [{ path: '/a' }] }),
      },
      desired: { machine: machine('v1.34.1'), bootstrapConfig: config({ joinConfiguration: more }) },
    }
    const patches = canUpdate(request, false)
    expect(applied(request.current!.machine!, patches.machinePatch)).toEqual(request.desired!.machine)
    expect(applied(request.current!.bootstrapConfig!, patches.bootstrapConfigPatch)).toEqual(
      request.desired!.bootstrapConfig,
    )
  })

  it('patches templates below spec.template.spec', () => {
    const set = (version: string) =>
      object('MachineSet', { replicas: 1, template: { spec: { version, clusterName: 'c' } } })
    const request = { current: { machineSet: set('v1.34.0') }, desired: { machineSet: set('v1.34.1') } }
    expect(applied(request.current.machineSet, canUpdate(request, true).machineSetPatch)).toEqual(
      request.desired.machineSet,
    )
  })

  it('leaves alone what it cannot change: the machine is then replaced', () => {
    const request = {
      current: {
        machine: machine('v1.34.0'),
        bootstrapConfig: config({ clusterConfiguration: { etcd: { local: {} } } }),
      },
      desired: {
        machine: machine('v1.34.1', { failureDomain: 'b' }),
        bootstrapConfig: config({ clusterConfiguration: { etcd: { local: { dataDir: '/x' } } } }),
      },
    }
    const patches = canUpdate(request, false)
    expect(Object.keys(patches)).toEqual(['machinePatch'])
    expect(applied(request.current.machine, patches.machinePatch)).not.toEqual(request.desired.machine)
  })

  it('is for one part only where it is started so, and leaves the others to those beside it', () => {
    const request = {
      current: { machine: machine('v1.34.0'), bootstrapConfig: config({ ntp: { enabled: false } }) },
      desired: { machine: machine('v1.34.1'), bootstrapConfig: config({ ntp: { enabled: true } }) },
    }
    expect(Object.keys(canUpdate(request, false))).toEqual(['machinePatch', 'bootstrapConfigPatch'])
    expect(Object.keys(canUpdate(request, false, { machine: ['version'] }))).toEqual(['machinePatch'])
    expect(Object.keys(canUpdate(request, false, { bootstrap: ['ntp'] }))).toEqual(['bootstrapConfigPatch'])
  })

  it('adds and removes whole branches only where all of them is covered', () => {
    const branch = { clusterConfiguration: { featureGates: { ControlPlaneKubeletLocalMode: true } } }
    const covered = COVERED.bootstrap ?? []
    expect(patchCovered({}, branch, covered, '/spec')).toEqual([
      { op: 'add', path: '/spec/clusterConfiguration', value: branch.clusterConfiguration },
    ])
    const mixed = { clusterConfiguration: { ...branch.clusterConfiguration, dns: {} } }
    expect(patchCovered({}, mixed, covered, '/spec')).toEqual([])
    expect(patchCovered(branch, {}, covered, '/spec')).toEqual([{ op: 'remove', path: '/spec/clusterConfiguration' }])
  })
})

describe('the update itself', () => {
  const request = (version: string, token = 'abcdef.0123456789abcdef'): HookRequest => ({
    desired: {
      machine: machine(version),
      bootstrapConfig: config({ joinConfiguration: { discovery: { bootstrapToken: { token } } } }),
    },
  })

  it('starts once, reports, ends once, and says done ever after', async () => {
    let now = 0
    const nodes: string[] = []
    const updates = new Updates(
      8_000,
      async ({ version }) => void nodes.push(version),
      () => now,
    )
    expect(await updates.step(request('v2'))).toEqual({
      status: 'Success',
      message: 'patching m',
      retryAfterSeconds: 5,
    })
    now = 5_000
    // Another token is not another state.
    expect((await updates.step(request('v2', 'fedcba.fedcba9876543210'))).retryAfterSeconds).toBe(3)
    now = 8_000
    expect((await updates.step(request('v2'))).retryAfterSeconds).toBe(0)
    expect((await updates.step(request('v2'))).retryAfterSeconds).toBe(0)
    expect(nodes).toEqual(['v2'])
    expect((await updates.step(request('v3'))).retryAfterSeconds).toBe(5)
  })

  it('is not done while the Node could not be brought up', async () => {
    let broken = true
    const updates = new Updates(0, async () => {
      if (broken) throw new Error('unreachable')
    })
    await expect(updates.step(request('v2'))).rejects.toThrow('unreachable')
    broken = false
    expect((await updates.step(request('v2'))).retryAfterSeconds).toBe(0)
  })

  it('refuses a request without a machine', async () => {
    expect((await new Updates(0, undefined).step({})).status).toBe('Failure')
  })
})
