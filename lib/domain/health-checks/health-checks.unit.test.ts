import { describe, expect, test } from 'vitest'
import {
  acts,
  dueOf,
  fateWords,
  fits,
  restoring,
  risksOf,
  skipping,
  type About,
  type Ill,
  type Limit,
  type Unhealthy,
} from '.'

describe('which machines a selector fits', () => {
  const machine = { 'cluster.x-k8s.io/deployment-name': 'md', tier: 'spot' }
  const selector = (labels: Record<string, string>, ...expressions: [string, string, string[]?][]) => ({
    labels,
    expressions: expressions.map(([key, operator, values = []]) => ({ key, operator, values })),
  })
  test.each([
    ['a label that it has', selector({ tier: 'spot' }), true],
    ['another value', selector({ tier: 'base' }), false],
    ['one of two', selector({ tier: 'spot', team: 'a' }), false],
    ['nothing asked', selector({}), true],
    ['in', selector({}, ['tier', 'In', ['base', 'spot']]), true],
    ['in, and not there', selector({}, ['team', 'In', ['a']]), false],
    ['not in', selector({}, ['tier', 'NotIn', ['base']]), true],
    ['not in, and not there', selector({}, ['team', 'NotIn', ['a']]), true],
    ['there', selector({}, ['tier', 'Exists']), true],
    ['not there', selector({}, ['team', 'DoesNotExist']), true],
    ['there, but not to be', selector({}, ['tier', 'DoesNotExist']), false],
    ['both have to fit', selector({ tier: 'spot' }, ['team', 'Exists']), false],
    ['an operator that nobody knows', selector({}, ['tier', 'Like', ['s']]), false],
  ])('%s', (_what, given, is) => expect(fits(given, machine)).toBe(is))
})

describe('what of a check an update in place may trip', () => {
  const minutes = (...of: number[]) => of.map((n) => n * 60_000)
  const when = (type: string, status: string, seconds = 300): Unhealthy => ({ type, status, seconds })
  test.each<[string, Unhealthy[], Unhealthy[], number[], number, string[]]>([
    ['the node away, nothing measured', [when('Ready', 'Unknown')], [], minutes(3), 0, ['node Ready unknown']],
    ['one or two say little', [when('Ready', 'False')], [], minutes(1, 2), 2, ['node Ready unknown']],
    ['but one that was longer is one', [when('Ready', 'False')], [], minutes(1, 6), 2, ['node Ready possible']],
    [
      'updates say not how long a node was away',
      [when('Ready', 'False')],
      [],
      minutes(1, 2, 5),
      3,
      ['node Ready unknown'],
    ],
    [
      'nor how long what goes with it was',
      [],
      [when('NodeReady', 'False')],
      minutes(1, 2, 5),
      3,
      ['machine NodeReady unknown'],
    ],
    ['none was at it for so long', [], [when('Updating', 'True')], minutes(1, 2, 5), 3, ['machine Updating unlikely']],
    ['some took longer', [when('Ready', 'False')], [], minutes(1, 2, 6), 3, ['node Ready possible']],
    ['true all the while', [], [when('Updating', 'True')], minutes(1, 2, 6), 3, ['machine Updating expected']],
    ['not up to date', [], [when('UpToDate', 'False')], minutes(1), 5, ['machine UpToDate expected']],
    [
      'what a Machine says of its node',
      [],
      [when('NodeReady', 'Unknown')],
      minutes(9),
      5,
      ['machine NodeReady possible'],
    ],
    ['its pods go with it', [], [when('EtcdPodHealthy', 'False')], minutes(1), 0, ['machine EtcdPodHealthy unknown']],
    [
      'what an update does not bring about',
      [when('MemoryPressure', 'True')],
      [when('Updating', 'False')],
      minutes(9),
      5,
      [],
    ],
    ['a node that is well is not ill', [when('Ready', 'True')], [when('NodeHealthy', 'True')], minutes(9), 5, []],
    [
      'the worst first, then the shortest',
      [when('Ready', 'False', 600), when('Ready', 'Unknown', 60)],
      [when('Updating', 'True', 120)],
      minutes(3, 3, 3),
      3,
      ['machine Updating expected', 'node Ready possible', 'node Ready unknown'],
    ],
  ])('%s', (_what, node, machine, ms, measured, is) =>
    expect(risksOf({ node, machine }, { ms, measured, own: ms }).map((r) => `${r.on} ${r.type} ${r.level}`)).toEqual(
      is,
    ),
  )
  test('as long as the check waits is not longer', () => {
    const [risk] = risksOf(
      { node: [], machine: [when('Updating', 'True', 60)] },
      { ms: [60_000, 60_001], measured: 2, own: [] },
    )
    expect(risk).toMatchObject({ longer: 1, level: 'expected' })
  })
  test.each<[string, number[], number[], string]>([
    ['of other groups, or by other updaters', minutes(1, 2, 3, 4), [], 'unknown'],
    ['too few of this group', minutes(1, 2, 3, 4), minutes(1, 2), 'unknown'],
    ['enough of this group', minutes(1, 2, 3, 4), minutes(1, 2, 3), 'unlikely'],
    ['one of this group was longer', minutes(1, 2, 3, 4), minutes(1, 2, 9), 'unknown'],
    ['one of the others was longer', minutes(1, 2, 9), minutes(1, 2, 3), 'expected'],
  ])('no warning is silenced by updates %s', (_what, ms, own, is) => {
    const [risk] = risksOf({ node: [], machine: [when('Updating', 'True')] }, { ms, measured: ms.length, own })
    expect(risk?.level).toBe(is)
  })
})

describe('whether a check would have anything done', () => {
  test.each<[string, Limit, { targets: number; ill: number; others: number; moving: number }, boolean]>([
    ['no limit', null, { targets: 3, ill: 3, others: 3, moving: 1 }, true],
    ['at most one, and none is ill', { atMost: '1' }, { targets: 3, ill: 0, others: 0, moving: 1 }, true],
    ['at most one, and one is', { atMost: '1' }, { targets: 3, ill: 1, others: 1, moving: 1 }, false],
    ['never', { atMost: '0' }, { targets: 3, ill: 0, others: 0, moving: 1 }, false],
    ['a share, rounded down to none', { atMost: '20%' }, { targets: 4, ill: 0, others: 0, moving: 1 }, false],
    ['a share of enough', { atMost: '20%' }, { targets: 5, ill: 0, others: 0, moving: 1 }, true],
    [
      'more may move than are tolerated, but one is',
      { atMost: '1' },
      { targets: 9, ill: 0, others: 0, moving: 4 },
      true,
    ],
    ['too few for the range', { from: 3, to: 5 }, { targets: 9, ill: 0, others: 0, moving: 1 }, false],
    [
      'as many move at once as the range asks for',
      { from: 3, to: 5 },
      { targets: 9, ill: 0, others: 0, moving: 3 },
      true,
    ],
    ['over the range', { from: 1, to: 2 }, { targets: 9, ill: 2, others: 2, moving: 1 }, false],
    ['what is ill may be of the update', { atMost: '2' }, { targets: 9, ill: 4, others: 0, moving: 4 }, true],
    ['or may not', { from: 3, to: 4 }, { targets: 9, ill: 2, others: 1, moving: 1 }, true],
    ['all are ill already', { atMost: '100%' }, { targets: 3, ill: 3, others: 3, moving: 1 }, true],
  ])('%s', (_what, limit, counts, is) => expect(acts(limit, counts)).toBe(is))
})

describe('marks', () => {
  const SKIP = 'cluster.x-k8s.io/skip-remediation'
  const MARK = 'drydock.dev/skips-remediation'
  test.each<[string, Record<string, string>, boolean, Record<string, string | null> | null]>([
    ['nothing is there', {}, false, { [SKIP]: 'drydock', [MARK]: 'c' }],
    ['somebody else has it skipped', { [SKIP]: '' }, false, null],
    ['it is done', { [SKIP]: 'drydock', [MARK]: 'c' }, true, null],
    ['for the change before', { [SKIP]: 'drydock', [MARK]: 'b' }, false, { [MARK]: 'c' }],
    ['somebody took one away', { [MARK]: 'c' }, true, null],
    ['somebody took both away', {}, true, null],
    ['somebody took our mark away', { [SKIP]: 'drydock' }, true, null],
  ])('to skip: %s', (_what, annotations, before, is) => expect(skipping(annotations, 'c', before)).toEqual(is))

  test.each<[string, Record<string, string>, Record<string, null> | null]>([
    ['both are ours', { [SKIP]: 'drydock', [MARK]: 'c' }, { [SKIP]: null, [MARK]: null }],
    ['somebody made the other theirs', { [SKIP]: '', [MARK]: 'c' }, { [MARK]: null }],
    ['somebody took the other away', { [MARK]: 'c' }, { [MARK]: null }],
    ['only theirs', { [SKIP]: '' }, null],
    ['without our mark it is not ours', { [SKIP]: 'drydock' }, null],
    ['nothing', {}, null],
  ])('to restore: %s', (_what, annotations, is) => expect(restoring(annotations)).toEqual(is))

  test('what was there before is there afterwards, whatever it was', () => {
    for (const before of [{}, { [SKIP]: '' }, { [SKIP]: 'true', x: 'y' }] as Record<string, string>[]) {
      const now: Record<string, string | null> = { ...before, ...skipping(before, 'c', false) }
      const after = Object.entries({ ...now, ...restoring(now as Record<string, string>) }).filter(
        ([, v]) => v !== null,
      )
      expect(Object.fromEntries(after)).toEqual(before)
    }
  })
})

describe('what becomes of a machine that was found ill', () => {
  const ill: Ill = {
    kind: 'MachineDeployment',
    reason: 'WaitingForRemediation',
    words: null,
    deleting: false,
    skipped: false,
  }
  const about: About = { held: false, external: null, deletesInstead: true }
  const kcp = { kind: 'KubeadmControlPlane' }
  test.each<[string, Partial<Ill>, Partial<About>, string]>([
    ['a worker', {}, {}, 'machine set deletes it next'],
    ['a worker of a group that is held: machine sets go on', {}, { held: true }, 'machine set deletes it next'],
    ['of the old revision', { reason: 'CannotBeRemediated' }, {}, 'deleted, not updated'],
    ['of the old revision, before v1.14', { reason: 'CannotBeRemediated' }, { deletesInstead: false }, 'stays until'],
    ['later', { reason: 'RemediationDeferred', words: 'too many' }, {}, 'deleted later: too many'],
    ['a control plane', kcp, {}, 'if it can do without it'],
    ['a control plane that is held', kcp, { held: true }, 'when its control plane is let go'],
    ['that cannot', { ...kcp, reason: 'CannotBeRemediated', words: 'quorum' }, {}, 'quorum'],
    ['going', { reason: 'MachineDeleting' }, {}, 'being deleted'],
    ['remediated otherwise', { reason: null }, { external: 'X' }, 'up to its X'],
    ['not at all', { reason: null }, {}, 'Nothing is done'],
    ['skipped too late', { skipped: true }, {}, 'does not help it any more'],
  ])('%s', (_what, one, more, words) => expect(fateWords({ ...ill, ...one }, { ...about, ...more })).toContain(words))
})

describe('when a check finds a machine ill that is not well now', () => {
  const since = '2026-11-22T12:00:00.000Z'
  const node = { on: 'node', type: 'Ready', status: 'Unknown', seconds: 300 } as const
  const own = { on: 'machine', type: 'Updating', status: 'True', seconds: 60 } as const

  test('by the time of that very condition, the first of them', () => {
    const away = { type: 'NodeReady', status: 'Unknown', since }
    expect(dueOf([node], [away])).toEqual({
      ...{ on: 'node', type: 'Ready', status: 'Unknown', since },
      at: '2026-11-22T12:05:00.000Z',
    })
    const updating = { type: 'Updating', status: 'True', since }
    expect(dueOf([node, own], [away, updating])).toMatchObject({ type: 'Updating', at: '2026-11-22T12:01:00.000Z' })
  })

  test('by no other, and not with another status', () => {
    expect(dueOf([node], [{ type: 'NodeReady', status: 'False', since }])).toBeNull()
    expect(dueOf([own], [{ type: 'NodeReady', status: 'Unknown', since }])).toBeNull()
    expect(dueOf([node], [])).toBeNull()
  })
})
