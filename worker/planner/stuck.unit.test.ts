import { describe, expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import type { MachineNow, Step } from './progress'
import { blockedBy, stuckOn } from './stuck'

const now = new Date('2026-11-21T03:00:00Z')
const minutesAgo = (minutes: number) => now.getTime() - minutes * 60_000
const machine = (more: Partial<MachineNow> = {}): MachineNow => ({
  ...{ id: 'a', name: 'w-1', machineSet: 'w-old', state: 'ready', sentence: 'Running v1.34.1.', error: null },
  ...{
    troubleWords: null,
    verdict: 'in-place',
    ...{ ready: true, node: 'n', notReadySince: null },
    upToDate: false,
    updating: false,
    deleting: false,
    deletingSince: null,
    createdAt: new Date(0),
    changedAt: new Date(0),
  },
  ...more,
})
const look = (more: Partial<Parameters<typeof stuckOn>[0]>) =>
  stuckOn({ machines: [machine()], rows: new Map(), blocked: null, lastMoved: minutesAgo(1), now, ...more })

describe('what keeps a rollout from going on', () => {
  test('a machine that says so itself, at once, with its words', () => {
    const machines = [machine(), machine({ id: 'b', name: 'w-2', error: 'Cannot evict pod x: disruption budget' })]
    expect(look({ machines })).toBe('w-2: Cannot evict pod x: disruption budget.')
  })

  test('a deletion that hung before its change was let go is no fault of that', () => {
    const machines = [machine({ deleting: true, error: 'Cannot evict pod x' })]
    const row = (wentBy: string) =>
      new Map([['a', { state: 'deleting' as Step, message: null, updatersDone: [], startedAt: now, wentBy }]])
    expect(look({ machines, rows: row('rollout'), replacing: true })).toBe('w-1: Cannot evict pod x.')
    expect(look({ machines, rows: row('before'), replacing: true })).toBeNull()
  })

  test('a deletion that somebody asked for only where nothing else moves', () => {
    const at = new Date(minutesAgo(5))
    const hangs = machine({ id: 'b', name: 'w-2', deleting: true, state: 'deleting', error: 'Cannot evict pod x' })
    const going = { state: 'deleting' as Step, message: null, startedAt: at, deletingAt: at }
    const said = (row: object, lastMoved = minutesAgo(5)) =>
      look({ machines: [machine(), hangs], rows: new Map([['b', { ...going, ...row }]]), lastMoved })
    expect(said({ predicted: 'in-place' })).toBeNull()
    expect(said({ predicted: 'in-place' }, minutesAgo(21))).toContain('No machine has moved for 21 minutes; w-2')
    // The rollout deletes these, or had begun with them.
    expect(said({ predicted: 'replace' })).toBe('w-2: Cannot evict pod x.')
    expect(said({ predicted: 'in-place-with-spare' })).toBe('w-2: Cannot evict pod x.')
    expect(said({ predicted: 'in-place', startedAt: new Date(minutesAgo(9)) })).toBe('w-2: Cannot evict pod x.')
  })

  test('an error that the catalogue knows, in its words', () => {
    const machines = [machine({ error: 'Cannot evict pod x', troubleWords: 'a disruption budget keeps x on its node' })]
    expect(look({ machines })).toBe('w-1: a disruption budget keeps x on its node.')
  })

  test('what the gate heard of the updater goes before “check the logs”', () => {
    const machines = [machine({ error: 'UpdateMachine hook failed: please check controller logs for errors' })]
    const rows = new Map([['a', { state: 'failed' as Step, message: 'no space left on /var' }]])
    expect(look({ machines, rows })).toBe('w-1: no space left on /var.')
  })

  test('a machine in the middle of its update for which nobody could be called, after a minute', () => {
    const troubleWords = 'the call did not get through'
    const uncalled = (minutes: number) =>
      look({ machines: [machine({ updating: true, troubleWords, changedAt: new Date(minutesAgo(minutes)) })] })
    expect(uncalled(0.5)).toBeNull()
    expect(uncalled(2)).toBe('w-1: the call did not get through.')
  })

  test('a controller that says it is blocked, after a minute without movement', () => {
    const blocked = 'MachineSet w-new: Scaling up from 2 to 3 replicas is blocked'
    expect(look({ blocked, lastMoved: minutesAgo(0.5) })).toBeNull()
    expect(look({ blocked, lastMoved: minutesAgo(2) })).toBe(`${blocked}.`)
  })

  test('nobody says anything: after twenty minutes, with the machine that it waits for', () => {
    const machines = [machine(), machine({ id: 'b', name: 'w-2', state: 'provisioning', sentence: 'Being created.' })]
    expect(look({ machines, lastMoved: minutesAgo(19) })).toBeNull()
    expect(look({ machines, lastMoved: minutesAgo(21) })).toBe(
      'No machine has moved for 21 minutes; w-2: Being created.',
    )
    expect(look({ lastMoved: minutesAgo(21) })).toContain('w-1: Running v1.34.1.')
  })

  describe('machines that are not available use up all that may be', () => {
    const how = { strategy: { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 }, replicas: 3 } as const
    const away = machine({ id: 'b', name: 'w-2', upToDate: true, ready: false, state: 'not-ready' })
    const machines = [machine(), away, machine({ id: 'c', name: 'w-3' })]
    const said = (minutes: number, more: object = {}) =>
      look({ machines, how, lastMoved: minutesAgo(minutes), ...more })
    const words =
      'w-2 is not available, and only 1 may be: nothing more begins until it is available again, or deleted.'

    test('after twenty minutes, in place of words that nothing has moved', () => {
      expect([said(2), said(19), said(21)]).toEqual([null, null, words])
      expect(said(21, { how: null })).toContain('No machine has moved for 21 minutes; w-2')
    })

    test('after a minute where what is not available counts as failed, also if that was accepted', () => {
      const row = { state: 'failed' as Step, message: null, failedAt: new Date(minutesAgo(5)) }
      const rows = new Map([['b', row]])
      expect([said(0.5, { rows }), said(2, { rows })]).toEqual([null, words])
      expect(said(2, { rows, forgiven: new Date(minutesAgo(3)) })).toBe(words)
      expect(said(2, { rows, over: true })).toBeNull()
      // Another one may come up by itself.
      const more = machine({ id: 'd', name: 'w-4', upToDate: true, ready: false, state: 'provisioning' })
      expect(said(2, { rows, machines: [...machines, more] })).toBeNull()
    })
  })

  test('in a Cluster that somebody paused nothing moves, and only a machine that failed keeps it', () => {
    const machines = [machine(), machine({ id: 'b', name: 'w-2', state: 'provisioning', sentence: 'Being created.' })]
    const updating = machine({ updating: true, troubleWords: 'not called', changedAt: new Date(minutesAgo(30)) })
    const frozen = { frozen: true, lastMoved: minutesAgo(30), blocked: 'MachineSet w-new: blocked' }
    expect(look({ ...frozen, machines: [...machines, updating] })).toBeNull()
    expect(look({ ...frozen, machines: [machine({ error: 'Failed for good' })] })).toBe('w-1: Failed for good.')
  })

  test('its updaters are done, and for minutes its kubelet is the old one', () => {
    const sentence = 'Running v1.34.2, not up to date: its kubelet is v1.34.1, and v1.34.2 is wanted.'
    const rows = new Map([['a', { state: 'updating' as Step, message: null, updatersDone: ['os'] }]])
    const since = (minutes: number) =>
      look({ machines: [machine({ sentence, changedAt: new Date(minutesAgo(minutes)) })], rows })
    expect(since(4)).toBeNull()
    expect(since(6)).toBe('w-1: its updaters are done, but its kubelet is still v1.34.1.')
    // One that waits for its turn is not behind.
    expect(look({ rows: new Map([['a', { state: 'waiting' as Step, message: null }]]) })).toBeNull()
  })

  test('a MachineSet’s condition is read as it stands', () => {
    const set = (message: string): KubeObject => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineSet',
      metadata: { name: 'w-new', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-11-21T00:00:00Z' },
      status: { conditions: [{ type: 'ScalingUp', status: 'True', reason: 'ScalingUp', message }] },
    })
    const preflight =
      'Scaling up from 2 to 3 replicas is blocked because:\n* KubeadmControlPlane fleet/cp is upgrading ("ControlPlaneIsStable" preflight check failed)'
    expect(blockedBy([set(preflight)])).toBe(
      'MachineSet w-new: Scaling up from 2 to 3 replicas is blocked because: KubeadmControlPlane fleet/cp is upgrading ("ControlPlaneIsStable" preflight check failed)',
    )
    expect(blockedBy([set('Scaling up from 2 to 3 replicas')])).toBeNull()
  })
})
