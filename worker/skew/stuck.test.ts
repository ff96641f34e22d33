import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { degradedMessage, progressingMessage } from '@/lib/domain/boot-images/counts'
import { stuckAfter } from '@/lib/domain/skew/stuck-pass'
import type { KubeObject } from '@/lib/kubernetes/types'
import { CONFIG_MAP, objects, SETS } from '@/lib/providers/openshift/testing/samples'
import { needsYou } from '@/lib/services/fleet/needs-you'
import type { ClusterView, Silent } from '../types'
import { skewConsumer } from '.'

useTestDatabase()
const clusterId = randomUUID()
const MC = 'machineconfigurations.operator.openshift.io'
const ERROR = 'error syncing MAPI MachineSet a: failed to reconcile machineset a, err: its secret does not exist'
const counts = { total: 4, reconciled: 3, skipped: 0, degraded: 1, controlPlaneDegraded: 0, errors: null }
const sample = objects('automatic')

/** What the operator's conditions are; `manual`: somebody recorded a version. */
let configuration: KubeObject
function conditions(progressing: boolean, errors: string | null, failed: number, manual = false): void {
  const { status, ...rest } = structuredClone(sample.machineConfiguration!)
  const conditions = [
    {
      ...{ type: 'BootImageUpdateProgressing', status: progressing ? 'True' : 'False' },
      message: progressingMessage({ ...counts, reconciled: failed ? 3 : 0 }),
    },
    {
      ...{ type: 'BootImageUpdateDegraded', status: errors ? 'True' : 'False' },
      message: degradedMessage({ ...counts, degraded: failed, errors }),
    },
  ]
  const skew = manual ? { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } : null
  configuration = {
    ...rest,
    status: { ...status, conditions, ...(skew && { bootImageSkewEnforcementStatus: skew }) } as never,
  }
}

const one = (key: string, object: KubeObject | undefined) => new Map(object ? [[key, object]] : [])
/** What is not heard any more. */
const silent = new Map<string, Silent>()
/** Of GCP, and a pass ends on each of them. */
let sets = new Map<string, KubeObject>()
function endingSets(...managed: boolean[]): void {
  sets = new Map(
    managed.map((isManaged, i) => {
      const set = structuredClone(SETS['gcp.outdated']!)
      const name = `ends-${i}`
      Object.assign(set.metadata, { name, uid: randomUUID(), labels: isManaged ? { boot: 'managed' } : {} })
      const value = (set.spec as { template: { spec: { providerSpec: { value: { disks: unknown[] } } } } }).template
        .spec.providerSpec.value
      value.disks.push(null)
      return [name, set]
    }),
  )
}
const view = {
  ...{ clusterId, name: 'atoll', fence: 0n, silent: () => silent },
  capabilities: { resources: {}, missingPermissions: [], openshift: { skew: true } },
  objects: (resource: string) => {
    if (resource === MC) return one('cluster', configuration)
    if (resource === 'infrastructures.config.openshift.io') return one('cluster', sample.infrastructure)
    if (resource === 'machinesets.machine.openshift.io') return sets
    if (resource === 'configmaps') return one('openshift-machine-config-operator/coreos-bootimages', CONFIG_MAP)
    if (resource === 'clusterversions.config.openshift.io') return one('version', sample.clusterVersion)
    return new Map()
  },
} as unknown as ClusterView

let now = Date.now()
const after = async (ms: number) => {
  vi.spyOn(Date, 'now').mockReturnValue((now += ms))
  await skewConsumer.onChanges(view, [{ resource: MC, key: 'cluster', heardAt: now } as never])
  const row = await db().openShiftCluster.findUniqueOrThrow({ where: { clusterId } })
  const { verdict, blocks, sentence, passFailed, passStuck } = row
  return { verdict, blocks, sentence, passFailed, passStuck }
}
const needs = async () => {
  const needs = await needsYou({ actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }, {})
  return needs
    .filter(({ id, kind }) => id === clusterId && kind !== 'watch')
    .map(({ kind, sentence }) => ({ kind, sentence }))
}

beforeAll(async () => {
  await db().managementCluster.create({ data: { id: clusterId, name: 'atoll', server: 'https://x' } })
})
afterEach(() => {
  silent.clear()
  sets = new Map()
  skewConsumer.forget!(view)
  vi.restoreAllMocks()
})

test.each([
  ['Automatic', false],
  ['Manual', true],
])('in mode %s a pass that stands still takes the place of the failed one before it', async (_mode, manual) => {
  conditions(false, ERROR, 1, manual)
  vi.spyOn(Date, 'now').mockReturnValue(now)
  await skewConsumer.onSynced!(view)
  const failed = await after(10_000)
  expect(failed).toMatchObject({ passFailed: ERROR, passStuck: null })
  if (!manual) expect(failed.verdict).toBe('update-failing')

  conditions(true, null, 0, manual)
  expect(await after(1_000)).toMatchObject({ passFailed: ERROR, passStuck: null, verdict: failed.verdict })
  const stuck = await after(stuckAfter(4))
  const said = 'The operator has not moved on for 3 minutes in the middle of a pass, at 0 of 4 machine sets'
  expect(stuck).toMatchObject({ passFailed: null, passStuck: expect.stringContaining(said) as string })
  if (!manual) {
    // The operator compares nothing meanwhile, and keeps nothing closed.
    expect(stuck).toMatchObject({ verdict: 'evaluating', blocks: null })
    expect(stuck.sentence).toContain(said)
  } else expect(stuck.verdict).toBe(failed.verdict)
  expect(await needs()).toEqual([{ kind: 'pass-failed', sentence: stuck.passStuck }])

  // Where it moves on, nothing of before the pass is told anew.
  conditions(true, null, 1, manual)
  expect(await after(1_000)).toMatchObject({ passFailed: null, passStuck: null })
  if (!manual) expect((await after(1_000)).verdict).toBe('evaluating')
  expect(await needs()).toEqual([])
})

test('a pass that stands still is told on when another worker takes over, and no longer once it moves', async () => {
  now = Date.now() + 3_600_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  conditions(true, null, 0)
  await skewConsumer.onSynced!(view)
  await after(10_000)
  const stuck = await after(stuckAfter(4))
  expect(stuck.passStuck).toContain('has not moved on')
  skewConsumer.forget!(view)
  vi.spyOn(Date, 'now').mockReturnValue((now += 2_000))
  await skewConsumer.onSynced!(view)
  expect(await after(2_000)).toMatchObject({ passStuck: stuck.passStuck, sentence: stuck.sentence })
  conditions(true, null, 1)
  expect((await after(2_000)).passStuck).toBeNull()
  // Also where it moved while no worker looked.
  expect((await after(stuckAfter(4))).passStuck).toContain('has not moved on')
  skewConsumer.forget!(view)
  conditions(true, null, 2)
  await skewConsumer.onSynced!(view)
  expect((await after(1_000)).passStuck).toBeNull()
})

test('what is not heard any more does not stand still by that, and stands still anew when it is heard', async () => {
  now = Date.now() + 7_200_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  conditions(false, ERROR, 1)
  await skewConsumer.onSynced!(view)
  expect(await after(10_000)).toMatchObject({ verdict: 'update-failing', passFailed: ERROR })
  conditions(true, null, 0)
  const failing = await after(1_000)
  silent.set(MC, { message: 'forbidden', isListed: true })
  const sentence =
    'Its MachineConfiguration cannot be read: forbidden. Whether boot images keep updates closed is not known.'
  const unknown = { verdict: 'unknown', blocks: null, sentence, passFailed: ERROR, passStuck: null }
  expect(await after(stuckAfter(4))).toEqual(unknown)
  expect((await needs()).map(({ kind }) => kind)).toContain('pass-failed')
  silent.clear()
  // The alarm of before the pass stands as it did.
  expect(await after(1_000)).toMatchObject({ verdict: failing.verdict, passFailed: ERROR, passStuck: null })
  expect((await after(stuckAfter(4))).passStuck).toContain('has not moved on for 3 minutes')
})

test('a pass that fails as the one before it takes nothing back in between, and one that comes through does, in the end', async () => {
  now = Date.now() + 10_800_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  conditions(false, ERROR, 1)
  await skewConsumer.onSynced!(view)
  const failed = await after(10_000)
  expect(failed).toMatchObject({ verdict: 'update-failing', passFailed: ERROR })
  // As it is written: the failure is cleared before the pass is said to begin, and said again after it is said to be over.
  const writes = [
    [false, null],
    [true, null],
    [false, null],
    [false, ERROR],
  ] as const
  for (const [progressing, errors] of writes) {
    conditions(progressing, errors, 1)
    expect(await after(600)).toEqual(failed)
  }
  conditions(false, null, 0)
  expect((await after(600)).verdict).toBe('update-failing')
  expect(await after(5_000)).toMatchObject({ verdict: 'ok', blocks: null, passFailed: null })
})

test('only a set that the operator manages is named as the one that a pass may end on, with why', async () => {
  now = Date.now() + 14_400_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  conditions(true, null, 0, true)
  const infrastructure = structuredClone(sample.infrastructure!)
  Object.assign(infrastructure.status!, { platform: 'GCP', platformStatus: { type: 'GCP' } })
  const status = configuration.status as { managedBootImagesStatus: { machineManagers: { selection: object }[] } }
  status.managedBootImagesStatus.machineManagers[0]!.selection = {
    ...{ mode: 'Partial', partial: { machineResourceSelector: { matchLabels: { boot: 'managed' } } } },
  }
  endingSets(true, false)
  const was = sample.infrastructure
  sample.infrastructure = infrastructure
  await skewConsumer.onSynced!(view)
  await after(1_000)
  const { passStuck } = await after(stuckAfter(4))
  expect(passStuck).toContain('it may end on ends-0 again and again')
  const why = (await needsYou({ actor: { kind: 'user', id: 'u', name: 'u', role: 'viewer' } }, {})).find(
    ({ id, kind }) => id === clusterId && kind === 'pass-failed',
  )
  expect(why?.detail).toContain('ends-0: One of its disks is null.')
  expect(why?.detail).not.toContain('userDataSecret')
  sample.infrastructure = was
})
