import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { HELD, PAUSED, PAUSED_BY_DRYDOCK } from '@/lib/domain/latch/names'
import { KubeError, KubeUnreachable, type KubeClient } from '@/lib/kubernetes/types'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { closeClients, kubeClientFor } from '@/lib/services/clusters/connection'
import { systemCtx } from '@/lib/services/context'
import * as look from '@/lib/services/gate/look'
import type { GateStatus } from '@/lib/services/gate/status'
import { sandboxTestCluster, type SandboxTestCluster } from '@/sandbox/test-cluster'
import { withoutInPlace } from '@/testenv/manager-gates'
import { stopWhereUnasked } from '../asked'
import type { ClusterView } from '../types'
import { stopInPlace, unasked } from './stop'

useTestDatabase()

const MD = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
const status = (state: GateStatus['state'], differences: string[] = []): GateStatus => ({
  ...{
    state,
    differences,
    checkedAt: '',
    sentence: '',
    url: null,
    handlers: [],
    missing: [],
    clashes: [],
    of: null,
    okSince: null,
  },
})

let cluster: SandboxTestCluster
let view: ClusterView
let client: KubeClient
let group: { namespace: string; name: string }
let changeId: string

beforeAll(async () => {
  cluster = await sandboxTestCluster()
  const { clusterId } = await addCluster(systemCtx('test'), { name: 'm', kubeconfig: cluster.kubeconfig })
  client = await kubeClientFor(clusterId)
  const capabilities = { resources: {} } as Capabilities
  view = { clusterId, name: 'm', client, capabilities, fence: 0n, objects: () => new Map() }
  const namespace = await cluster.namespace()
  const { machineDeployment: name } = await cluster.workloadCluster({
    ...{ namespace, name: 'one', version: 'v1.34.0', controlPlane: { replicas: 1 }, workers: { replicas: 1 } },
  })
  group = { namespace, name }
  const { uid, resourceVersion } = (await read()).metadata
  const change = await db().change.create({
    data: {
      ...{ clusterId, groupId: uid, groupKind: 'MachineDeployment', namespace, groupName: name },
      ...{ workloadCluster: 'one', fingerprint: 'f', state: 'running', summary: '', changeSet: {}, outlook: {} },
      ...{ heldBy: 'latch', resourceVersion, machines: 1 },
      decisions: {
        create: { fingerprint: 'f', mode: 'in-place', state: 'accepted', actorId: 'a', actorName: 'Ada' },
      },
    },
  })
  changeId = change.id
})
afterAll(async () => {
  await closeClients()
  await cluster?.stop()
})

const read = () => cluster.admin.get(MD, group.name, group.namespace)
const annotations = async () => (await read()).metadata.annotations ?? {}
const audited = async () =>
  (await db().auditEvent.findMany({ where: { targetId: changeId }, orderBy: { id: 'asc' } })).map(
    (e) => `${e.action} ${e.result}`,
  )

test.each<[GateStatus['state'], string[]]>([
  ['ok', []],
  ['not-discovered', []],
  ['changed', []],
  ['changed', ['spec.clientConfig.caBundle']],
  ['changed', ['spec.clientConfig.url']],
])('%s %j stops nothing', (state, differences) => {
  expect(unasked(status(state, differences))).toBeNull()
})

test.each<[GateStatus['state'], string[], string]>([
  ['unregistered', [], 'gone'],
  ['changed', ['spec.namespaceSelector.matchLabels'], 'narrowed'],
  ['clash', ['spec.namespaceSelector.matchLabels'], 'narrowed'],
])('%s %j stops it', (state, differences, word) => {
  expect(unasked(status(state, differences))).toContain(word)
})

test('what is refused is on record before and after, once, and is tried again', async () => {
  const patch = client.patch
  const seen: string[][] = []
  client.patch = async () => {
    seen.push(await audited())
    throw new KubeError(403, { kind: 'Status', code: 403, message: 'not allowed' }, 'PATCH')
  }
  for (const _again of [1, 2]) await expect(stopInPlace(view, 'gone')).rejects.toThrow(/1 of 1 .* refused/)
  client.patch = patch
  expect(seen).toEqual([['change.stop ok'], ['change.stop ok', 'change.stopped refused']])
  expect(await audited()).toEqual(['change.stop ok', 'change.stopped refused'])
})

test('somebody’s own pause stays, and so does the hold beside it', async () => {
  const pause = (value: string | null) =>
    cluster.admin.patch(MD, group.name, group.namespace, 'merge', {
      metadata: { annotations: { [PAUSED]: value, [HELD]: null } },
    })
  await pause('maintenance')
  await stopInPlace(view, 'gone')
  expect(await annotations()).toMatchObject({ [PAUSED]: 'maintenance', [HELD]: expect.any(String) as string })
  await pause(null)
})

test('it is stopped, whoever else writes at the same time; once is enough', async () => {
  const patch = client.patch
  let [tried, stored] = [0, 0]
  client.patch = async (...args) => {
    if (++tried === 1)
      await cluster.admin.patch(MD, group.name, group.namespace, 'merge', { metadata: { labels: { a: 'b' } } })
    const object = await patch(...args)
    stored += 1
    return object
  }
  for (const _again of [1, 2]) await stopInPlace(view, 'it was narrowed')
  client.patch = patch
  // The cluster's own controllers may come in between as well.
  expect(tried).toBeGreaterThan(1)
  expect(stored).toBe(1)
  expect(await annotations()).toMatchObject({
    ...{ [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: expect.stringContaining('narrowed') as string },
  })
  expect((await audited()).at(-1)).toBe('change.stopped ok')
  const last = await db().auditEvent.findFirstOrThrow({ where: { targetId: changeId }, orderBy: { id: 'desc' } })
  expect(last).toMatchObject({ reason: expect.stringContaining('narrowed') as string })
})

describe('what came in between is not on record as ours', () => {
  const free = { metadata: { annotations: { [PAUSED]: null, [HELD]: null } } }
  /** Right after it was read, before it is written. */
  const meanwhile = async (happens: () => Promise<unknown>) => {
    const { patch } = client
    client.patch = async (...args) => {
      client.patch = patch
      await happens()
      return patch(...args)
    }
    await cluster.admin.patch(MD, group.name, group.namespace, 'merge', free)
    const last = await db().auditEvent.findFirst({ orderBy: { id: 'desc' } })
    await stopInPlace(view, 'it was narrowed').finally(() => (client.patch = patch))
    const events = await db().auditEvent.findMany({ where: { id: { gt: last!.id } }, orderBy: { id: 'asc' } })
    return events.map(({ action, result, answer }) => [action, result, answer])
  }

  test('held by somebody else', async () => {
    const annotations = { [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: 'somebody was faster' }
    const hold = () => cluster.admin.patch(MD, group.name, group.namespace, 'merge', { metadata: { annotations } })
    expect(await meanwhile(hold)).toEqual([
      ['change.stop', 'ok', null],
      ['change.stopped', 'ok', 'It was held already by then: nothing was written.'],
    ])
    expect((await read()).metadata.annotations).toMatchObject(annotations)
  })

  test('another object of the name', async () => {
    const { get } = client
    const another = async () => {
      await cluster.admin.patch(MD, group.name, group.namespace, 'merge', { metadata: { labels: { a: 'c' } } })
      client.get = async (...args) => {
        const object = await get(...args)
        return { ...object, metadata: { ...object.metadata, uid: 'another' } }
      }
    }
    expect(await meanwhile(another).finally(() => (client.get = get))).toEqual([
      ['change.stop', 'ok', null],
      ['change.stopped', 'failed', 'It is another object of the same name by now: nothing was written.'],
    ])
  })
})

test('while its release may be on its way, it is not stopped yet: looked at again', async () => {
  const annotations = { [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: 'x' }
  await cluster.admin.patch(MD, group.name, group.namespace, 'merge', { metadata: { annotations } })
  const decisions = (state: string) => db().decision.updateMany({ where: { changeId }, data: { state } })
  await decisions('applying')
  await expect(stopInPlace(view, 'gone')).rejects.toThrow('being released')
  await decisions('accepted')
  await stopInPlace(view, 'gone')
})

describe('the round that looks whether the managers still ask', () => {
  const UNKNOWN = { resources: { 'extensionconfigs.runtime.cluster.x-k8s.io': 'v1beta2' } } as unknown as Capabilities
  const free = async () => {
    const annotations = { [PAUSED]: null, [HELD]: null }
    await cluster.admin.patch(MD, group.name, group.namespace, 'merge', { metadata: { annotations } })
  }
  const registered = vi.spyOn(look, 'readGate')
  beforeEach(async () => {
    await free()
    registered.mockResolvedValue(status('ok'))
    view.capabilities = UNKNOWN
  })

  test('lets it go on where they do', async () => {
    await stopWhereUnasked(view)
    expect(await annotations()).not.toHaveProperty([HELD])
  })

  test.each<[string, () => void]>([
    ['gone', () => registered.mockResolvedValue(status('unregistered'))],
    [
      'made anew and never discovered',
      () => registered.mockResolvedValue({ ...status('changed'), missing: ['UpdateMachine'] }),
    ],
    [
      'gone with its kind',
      () => registered.mockRejectedValue(new KubeError(404, { kind: 'Status', code: 404 }, 'LIST')),
    ],
    ['no longer served', () => void (view.capabilities = { resources: {} } as Capabilities)],
  ])('stops it where the registration is %s', async (_, happens) => {
    happens()
    await stopWhereUnasked(view)
    expect((await annotations())[HELD]).toContain('registration is gone')
  })

  /** Looks after so many seconds, as one worker does. */
  const unread = () => {
    const unknown: Parameters<typeof stopWhereUnasked>[1] = new Map()
    return (seconds: number) => stopWhereUnasked(view, unknown, () => seconds * 1_000)
  }

  test('a registration that cannot be read for a minute is none', async () => {
    registered.mockRejectedValue(new KubeError(403, { kind: 'Status', code: 403 }, 'LIST'))
    const after = unread()
    for (const seconds of [0, 59]) await after(seconds)
    expect(await annotations()).not.toHaveProperty([HELD])
    await after(60)
    expect((await annotations())[HELD]).toContain('could not be read')
  })

  test('an outage that keeps one from being stopped keeps nothing else from it', async () => {
    const client = await kubeClientFor(view.clusterId)
    const { get } = client
    client.get = (resource, ...rest) =>
      resource.group === 'apps'
        ? Promise.reject(new KubeError(500, { kind: 'Status', code: 500 }, 'GET'))
        : get(resource, ...rest)
    registered.mockResolvedValue(status('unregistered'))
    await stopWhereUnasked(view).finally(() => (client.get = get))
    expect((await annotations())[HELD]).toContain('registration is gone')
  })

  const deployments = async (fails: Error) => {
    const client = await kubeClientFor(view.clusterId)
    const { get } = client
    client.get = (resource, ...rest) => (resource.group === 'apps' ? Promise.reject(fails) : get(resource, ...rest))
    return () => void (client.get = get)
  }
  const noAnswer = new KubeUnreachable('no answer within 10 s', 'GET')

  test('no answer about their gates: a registration that is gone stops it all the same', async () => {
    registered.mockResolvedValue(status('unregistered'))
    const answers = await deployments(noAnswer)
    await stopWhereUnasked(view).finally(answers)
    expect((await annotations())[HELD]).toContain('registration is gone')
  })

  test('no answer about the registration: gates that are off stop it all the same', async () => {
    registered.mockRejectedValue(noAnswer)
    const restore = await withoutInPlace(cluster.admin)
    await stopWhereUnasked(view).finally(restore)
    expect((await annotations())[HELD]).toContain('switched off')
  })

  test.each<[string, () => Promise<() => void>]>([
    ['the registration', () => Promise.resolve((registered.mockRejectedValue(noAnswer), () => undefined))],
    ['their gates', () => deployments(noAnswer)],
  ])('no answer about %s for a minute is none', async (_, happens) => {
    const answers = await happens()
    const after = unread()
    try {
      for (const seconds of [0, 59]) await after(seconds)
      expect(await annotations()).not.toHaveProperty([HELD])
      await after(60)
    } finally {
      answers()
    }
    expect((await annotations())[HELD]).toContain('could not be read')
  })

  test('what this process slept through is no minute without an answer', async () => {
    registered.mockRejectedValue(noAnswer)
    const clock = [0, 600_000]
    const unknown: Parameters<typeof stopWhereUnasked>[1] = new Map()
    await stopWhereUnasked(view, unknown, () => (clock.length > 1 ? clock.shift()! : clock[0]!))
    expect(await annotations()).not.toHaveProperty([HELD])
    expect([...unknown.values()]).toEqual([570_000, 570_000])
  })

  test('what the core manager asks about goes on where only the other one is without', async () => {
    const restore = await withoutInPlace(cluster.admin, 'controlPlane')
    await stopWhereUnasked(view)
    expect(await annotations()).not.toHaveProperty([HELD])
    await restore()
  })

  test('what the pages know of the managers is found anew in the round that stops it, and only where it is news', async () => {
    const on = { state: 'on', how: '' }
    view.capabilities = { ...UNKNOWN, gates: { inPlaceUpdates: on, runtimeSdk: on } } as Capabilities
    const rediscover = vi.fn(() => Promise.resolve())
    view.rediscover = rediscover
    await stopWhereUnasked(view)
    expect(rediscover).not.toHaveBeenCalled()
    const restore = await withoutInPlace(cluster.admin)
    await stopWhereUnasked(view).finally(restore)
    expect(rediscover).toHaveBeenCalledTimes(1)
    delete view.rediscover
  })

  test('stops it where their gates are switched off, or cannot be read for a minute; with nothing under way, nothing', async () => {
    const restore = await withoutInPlace(cluster.admin)
    await db().change.update({ where: { id: changeId }, data: { state: 'waiting' } })
    await stopWhereUnasked(view)
    expect(await annotations()).not.toHaveProperty([HELD])
    await db().change.update({ where: { id: changeId }, data: { state: 'running' } })
    await stopWhereUnasked(view)
    expect(await annotations()).toMatchObject({
      ...{ [PAUSED]: PAUSED_BY_DRYDOCK, [HELD]: expect.stringContaining('switched off') as string },
    })
    await restore()
    await free()
    const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments' }
    await cluster.admin.delete(DEPLOYMENTS, 'capi-controller-manager', 'capi-system')
    const after = unread()
    for (const seconds of [0, 59]) await after(seconds)
    expect(await annotations()).not.toHaveProperty([HELD])
    await after(60)
    expect((await annotations())[HELD]).toContain('could not be read')
  })
})
