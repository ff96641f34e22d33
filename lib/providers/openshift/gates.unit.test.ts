import { describe, expect, it, test } from 'vitest'
import { upgradeability } from '@/lib/domain/upgradeable/judge'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readConfigData, readUpgradeFacts } from './gates'
import { readUnderway, readUpdates } from './operators'
import { SCENARIOS } from './testing/samples'

const configMap = (data?: Record<string, string>): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data }) as unknown as KubeObject

const judge = (scenario: string, gates = configMap(), acks = configMap()) => {
  const { clusterVersion, clusterOperator } = SCENARIOS[scenario]!
  const readable = { gates: true, acks: true }
  return upgradeability(readUpgradeFacts({ clusterVersion, operators: [clusterOperator], gates, acks, readable }))
}

describe('what keeps updates closed, in every scenario of the samples', () => {
  it.each([
    ['absent', 'open', []],
    ['automatic', 'open', []],
    ['automatic-progressing', 'open', []],
    ['automatic-skipped', 'open', []],
    ['manual-default-install-version', 'open', []],
    ['manual-in-range', 'open', []],
    ['manual-pending', 'open', []],
    ['none', 'open', []],
    ['automatic-degraded', 'closed', ['machine-config ClusterBootImageSkewError']],
    ['automatic-out-of-skew', 'closed', ['machine-config ClusterBootImageSkewError']],
    ['manual-out-of-skew', 'closed', ['machine-config ClusterBootImageSkewError']],
    ['manual-out-of-skew-ocp', 'closed', ['machine-config ClusterBootImageSkewError']],
    ['manual-out-of-skew-hidden-by-degraded-pool', 'closed', ['machine-config DegradedPool']],
  ] as const)('%s: %s', (scenario, state, reasons) => {
    const judged = judge(scenario)
    expect(judged.state).toBe(state)
    expect(judged.form).toBe('conditions')
    expect(judged.blockers.map((b) => `${b.item} ${b.reason}`)).toEqual(reasons)
    expect(judged.blockers.every((b) => b.said === 'both')).toBe(true)
  })

  test('all of them are here, but the one with a gate', () => {
    expect(Object.keys(SCENARIOS)).toHaveLength(14)
  })
})

describe('a cluster of 4.21 whose operator asks before 4.22 manages boot images', () => {
  const name = 'ack-4.21-boot-image-opt-out-in-4.22'
  const condition = (
    SCENARIOS['release-4.21']!.clusterVersion.status!.conditions as { type: string; message: string }[]
  ).find((c) => c.type === 'Upgradeable')!
  const gates = configMap({
    [name]: condition.message,
    'ack-4.18-boot-image-opt-out-in-4.19': 'Of an earlier release.',
  })

  it('waits for its gate, and for that alone', () => {
    const judged = judge('release-4.21', gates, configMap({ 'ack-4.18-boot-image-opt-out-in-4.19': 'true' }))
    expect(judged.blockers).toMatchObject([{ source: 'gate', item: name, reason: 'AdminAckRequired', said: 'both' }])
    expect(judged.gates.map((g) => g.state)).toEqual(['waiting', 'other-release'])
  })

  it('opens by itself once it is acknowledged', () => {
    expect(judge('release-4.21', gates, configMap({ [name]: 'true' })).blockers).toMatchObject([{ said: 'no-longer' }])
  })

  it('says what ClusterVersion says where the gates are not there to read', () => {
    const { clusterVersion } = SCENARIOS['release-4.21']!
    const readable = { gates: false, acks: false }
    const facts = readUpgradeFacts({ clusterVersion, operators: [], gates: undefined, acks: undefined, readable })
    expect(upgradeability(facts).blockers).toMatchObject([
      { source: 'other', reason: 'AdminAckRequired', said: 'both' },
    ])
  })
})

test('the words of a ConfigMap are masked as those of conditions are; what is no text is left out', () => {
  const data = { a: 'token=abcdefghijklmnopqrstuvwxyz0123456789', b: 7 as unknown as string }
  const read = readConfigData(configMap(data), true)
  expect(Object.keys(read ?? {})).toEqual(['a'])
  expect(read?.a).not.toContain('abcdefghijklmnopqrstuvwxyz0123456789')
  expect(readConfigData(undefined, true)).toBeNull()
  expect(readConfigData(undefined, false)).toBeUndefined()
})

test('releases to go to: which are patches, and which are recommended with care', () => {
  const risk = { name: 'SlowImages', message: 'x' }
  const clusterVersion = {
    metadata: { name: 'version' },
    status: {
      desired: { version: '4.22.3' },
      history: [{ state: 'Partial', version: '4.22.3', startedTime: '2026-11-21T07:00:00Z' }],
      conditions: [{ type: 'Progressing', status: 'True', message: 'Working towards 4.22.3: 40 of 900 done' }],
      availableUpdates: [{ version: '4.22.5' }, { version: '4.23.1' }, {}],
      conditionalUpdates: [
        {
          release: { version: '4.22.6' },
          risks: [risk],
          conditions: [{ type: 'Recommended', status: 'False', message: 'Why not.' }],
        },
        { release: { version: '4.23.2' }, risks: [risk] },
        { release: { version: '4.22.5' }, risks: [risk] },
      ],
    },
  } as unknown as KubeObject
  expect(readUpdates(clusterVersion)).toEqual([
    { version: '4.22.5', kind: 'patch', caution: null },
    { version: '4.23.1', kind: 'minor', caution: null },
    { version: '4.22.6', kind: 'patch', caution: 'Why not.' },
    { version: '4.23.2', kind: 'minor', caution: 'SlowImages' },
  ])
  expect(readUnderway(clusterVersion)).toEqual({
    version: '4.22.3',
    since: '2026-11-21T07:00:00Z',
    message: 'Working towards 4.22.3: 40 of 900 done',
  })
  expect(readUpdates(undefined)).toEqual([])
  expect(readUnderway(undefined)).toBeNull()
})
