import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../lib/kubernetes/types'
import { readConfigNode } from '../../../../lib/providers/openshift/config-nodes'
import { conditionsOf } from '../../../../lib/providers/openshift/readers'
import type { Member } from './node'
import { candidates, poolStatus } from './rules'

const PREFIX = 'machineconfiguration.openshift.io/'
const pool = (spec: object = {}, name = 'worker'): KubeObject => ({
  ...{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' },
  metadata: { name, uid: 'u', resourceVersion: '1', creationTimestamp: '', generation: 3 },
  spec: { configuration: { name: 'b' }, ...spec },
})

interface Of {
  zone?: string
  at?: string
  current?: string
  desired?: string
  state?: string
  reason?: string
  ready?: boolean
  cordoned?: boolean
}
function member(name: string, of: Of = {}): Member {
  const { zone, at = '2026-01-01T00:00:00Z', current = 'a', desired = current, state = 'Done', reason = '' } = of
  const object: KubeObject = {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: {
      ...{ name, uid: name, resourceVersion: '1', creationTimestamp: at },
      labels: zone ? { 'topology.kubernetes.io/zone': zone } : {},
      annotations: {
        [`${PREFIX}currentConfig`]: current,
        [`${PREFIX}desiredConfig`]: desired,
        [`${PREFIX}state`]: state,
        [`${PREFIX}reason`]: reason,
      },
    },
    spec: { unschedulable: of.cordoned ?? false },
    status: { conditions: [{ type: 'Ready', status: of.ready === false ? 'False' : 'True' }] },
  }
  return { object, node: readConfigNode(object, 'worker', undefined) }
}
const names = (list: Member[]) => list.map(({ node }) => node.name)

describe('who is told next', () => {
  const four = () => [
    member('no-zone'),
    member('b1', { zone: 'b' }),
    member('a-young', { zone: 'a', at: '2026-02-01T00:00:00Z' }),
    member('a-old', { zone: 'a' }),
  ]
  it.each<[string, object, string[]]>([
    ['one at a time, where nothing is said', {}, ['a-old']],
    [
      'zone after zone, the oldest first, those without a zone last',
      { maxUnavailable: 4 },
      ['a-old', 'a-young', 'b1', 'no-zone'],
    ],
    ['a share, rounded down', { maxUnavailable: '60%' }, ['a-old', 'a-young']],
    ['nobody while it is paused', { maxUnavailable: 4, paused: true }, []],
    ['nobody without a config', { configuration: {} }, []],
  ])('%s', (_, spec, expected) => {
    expect(names(candidates(pool(spec), four()))).toEqual(expected)
  })

  it.each<[string, Member]>([
    ['one is on its way', member('x', { desired: 'b', state: 'Working' })],
    ['one was cordoned by somebody', member('x', { cordoned: true })],
    ['one is not Ready', member('x', { ready: false })],
    ['one failed this very config', member('x', { desired: 'b', state: 'Degraded' })],
  ])('nobody at the limit: %s', (_, x) => {
    expect(candidates(pool(), [x, ...four()])).toEqual([])
  })

  it('the arbiter does one at a time, whatever is said', () => {
    expect(candidates(pool({ maxUnavailable: 4 }, 'arbiter'), four())).toHaveLength(1)
  })
})

describe('what a pool says', () => {
  const said = (object: KubeObject, nodes: Member[]) => {
    const status = poolStatus(object, nodes)
    return { status, by: Object.fromEntries(conditionsOf({ ...object, status: status! }).map((c) => [c.type, c])) }
  }

  it('of one that is through', () => {
    const { status, by } = said(pool(), [member('x', { current: 'b' }), member('y', { current: 'b' })])
    expect(status).toMatchObject({
      machineCount: 2,
      updatedMachineCount: 2,
      readyMachineCount: 2,
      observedGeneration: 3,
      configuration: { name: 'b' },
    })
    expect([by.Updated?.status, by.Updating?.status, by.Updated?.message]).toEqual([
      'True',
      'False',
      'All nodes are updated with MachineConfig b',
    ])
    expect(
      poolStatus({ ...pool(), status: status! }, [member('x', { current: 'b' }), member('y', { current: 'b' })]),
    ).toBeNull()
  })

  it('of one that rolls: no config yet, and a cordoned node is updated and not ready', () => {
    const { status, by } = said(pool(), [member('x', { current: 'b', cordoned: true }), member('y')])
    expect(status).toMatchObject({ updatedMachineCount: 1, readyMachineCount: 0, unavailableMachineCount: 1 })
    expect(status).not.toHaveProperty('configuration')
    expect([by.Updated?.status, by.Updating?.message]).toEqual(['False', 'All nodes are updating to MachineConfig b'])
  })

  it('of one that is paused and behind: neither Updated nor Updating', () => {
    const { by } = said(pool({ paused: true }), [member('x')])
    expect([by.Updated?.status, by.Updating?.status]).toEqual(['False', 'False'])
    expect(by.Updating?.message).toBe('Pool is paused; will not update to MachineConfig b')
  })

  it('of one with a node that failed', () => {
    const { status, by } = said(pool(), [member('x', { desired: 'b', state: 'Degraded', reason: 'said "no"' })])
    expect(status).toMatchObject({ degradedMachineCount: 1 })
    expect(by.NodeDegraded).toMatchObject({
      status: 'True',
      reason: '1 nodes are reporting degraded status on sync',
      message: 'Node x is reporting: "said \\"no\\""',
    })
    expect(by.Degraded?.status).toBe('True')
  })

  it('of one whose newer config cannot be rendered', () => {
    const status = { conditions: [{ type: 'RenderDegraded', status: 'True' }] }
    const { by } = said({ ...pool(), status }, [member('x')])
    expect([by.Degraded?.status, by.NodeDegraded?.status]).toEqual(['True', 'False'])
  })
})
