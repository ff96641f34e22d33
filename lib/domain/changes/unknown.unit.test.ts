import { describe, expect, test } from 'vitest'
import { outlookOf } from '.'
import type { RevisionPair } from './types'

describe('where an updater did not say', () => {
  const pair = (from: string, machines: number, more: Partial<RevisionPair> = {}): RevisionPair => ({
    ...{ from, machines, fingerprint: from, changes: [] },
    ...more,
  })
  const base = {
    group: { kind: 'MachineDeployment', name: 'md', replicas: 6 },
    ...{ strategy: { type: 'RollingUpdate', maxUnavailable: 1, maxSurge: 0 } as const, machines: 6 },
  }
  test('it is not known, also where somebody covers nothing of another revision; replacing can be approved', () => {
    const outlook = outlookOf({
      ...base,
      pairs: [pair('a', 2), pair('b', 3)],
      coverage: new Map([
        ['a', { uncovered: ['machine: version'] }],
        ['b', { unknown: 'The updater x does not answer.' }],
      ]),
    })
    expect(outlook).toMatchObject({
      inPlace: null,
      whyNotInPlace: 'The updater x does not answer.',
      unknown: {
        counts: { unknown: 5, 'up-to-date': 1 },
        headline: 'Whether 5 machines of md can be updated in place is not known: The updater x does not answer.',
      },
      replace: { counts: { replace: 5, 'up-to-date': 1 } },
    })
  })
  test('what is replaced in any case is known', () => {
    const pairs = [pair('a', 2), pair('b', 3, { certainReplace: 'It is old.' })]
    expect(outlookOf({ ...base, pairs, coverage: new Map() }).unknown).toMatchObject({
      counts: { unknown: 2, replace: 3, 'up-to-date': 1 },
    })
    expect(outlookOf({ ...base, pairs: [pairs[1]!], coverage: new Map() }).unknown).toBeUndefined()
  })
  test('nor is anything open where nobody would be asked', () => {
    const pairs = [pair('a', 2)]
    expect(outlookOf({ ...base, pairs, coverage: new Map(), impossible: 'Off.' }).unknown).toBeUndefined()
  })
})
