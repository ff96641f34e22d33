import { describe, expect, test } from 'vitest'
import { byApproved, outlookOf, summaryOf, verdictOf, type ShownChange } from '.'
import type { RevisionPair } from './types'

describe('outlook', () => {
  const pair: RevisionPair = {
    from: 'a',
    machines: 3,
    fingerprint: 'f',
    changes: [{ object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }],
  }
  const base = {
    group: { kind: 'MachineDeployment', name: 'w', replicas: 3 },
    machines: 3,
    coverage: new Map([['a', { uncovered: [] }]]),
  }
  test('while a template that it names does not exist, nothing of it can be approved', () => {
    const ups: RevisionPair[] = [{ ...pair, missing: 't', certainReplace: 'x' }]
    expect(outlookOf({ ...base, machines: 4, pairs: ups, strategy: { type: 'RollingUpdate' } })).toEqual({
      ...{ inPlace: null, whyNotInPlace: 'The template t does not exist.', blocked: 'The template t does not exist.' },
      replace: {
        ...{ counts: { blocked: 3, 'up-to-date': 1 }, created: 0, deleted: 0 },
        headline: 'No machine of w can move: the template t does not exist.',
      },
      uncovered: [],
    })
  })

  test('with no machine to spare, one is created and one deleted', () => {
    const { inPlace } = outlookOf({ ...base, pairs: [pair], strategy: { type: 'RollingUpdate' } })
    expect(inPlace).toMatchObject({ created: 1, deleted: 1, counts: { 'in-place-with-spare': 2, replace: 1 } })
  })
  test('of those that are too many some begin their update before they go: they count at once with the others', () => {
    const strategy = { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 } as const
    const { inPlace } = outlookOf({ ...base, machines: 6, pairs: [{ ...pair, machines: 6 }], strategy })
    expect(inPlace?.headline).toContain('3 machines of w would be updated in place, at most 4 at a time')
  })
  test('who updates it in place is named', () => {
    const strategy = { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 } as const
    const by = (...names: string[]) => ({
      ...pair,
      changes: names.map((coveredBy) => ({ ...pair.changes[0]!, coveredBy })),
    })
    const reason = (of: RevisionPair) => verdictOf(of, { ...base, pairs: [of], strategy }).reason
    expect(reason(by('kubelet', 'kubelet'))).toBe('Updated in place by kubelet.')
    expect(reason(by('a', 'b', 'c'))).toBe('Updated in place by a, b and c.')
    expect(reason(pair)).toBe('Updated in place by the configured updaters.')
  })

  test('with the strategy OnDelete, what is said of replacing waits for somebody', () => {
    const { replace } = outlookOf({ ...base, impossible: 'x', pairs: [pair], strategy: { type: 'OnDelete' } })
    expect(replace).toMatchObject({ onDelete: true, deleted: 3 })
    const rolling = outlookOf({ ...base, impossible: 'x', pairs: [pair], strategy: { type: 'RollingUpdate' } })
    expect(rolling.replace.onDelete).toBeUndefined()
  })

  test('of a single machine with a spare, none is left to be updated in place', () => {
    const one = { ...base, machines: 1, group: { ...base.group, replicas: 1 }, pairs: [{ ...pair, machines: 1 }] }
    const outlook = outlookOf({ ...one, strategy: { type: 'RollingUpdate' } })
    expect(outlook).toMatchObject({ inPlace: null, whyNotInPlace: expect.stringContaining('spare') as string })
    expect(verdictOf(pair, { ...one, strategy: { type: 'RollingUpdate' } }).verdict).toBe('replace')
    expect(
      outlookOf({ ...one, strategy: { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 } }).inPlace,
    ).not.toBeNull()
  })
  test('what goes already is there besides', () => {
    const group = { ...base.group, replicas: 5 }
    const strategy = { type: 'RollingUpdate' as const, maxUnavailable: 1 }
    expect(outlookOf({ ...base, group, pairs: [pair], strategy, deleting: 1 }).replace.headline).toContain(
      '(5 wanted, 3 there, and 1 being deleted)',
    )
  })

  test.each([
    [
      5,
      { created: 2, deleted: 0, added: 2 },
      { created: 5, deleted: 3 },
      '; 2 machines would be created besides (5 wanted, 3 there).',
    ],
    [
      2,
      { created: 0, deleted: 1, removed: 1 },
      { created: 2, deleted: 3 },
      '; 1 machine would be deleted besides (2 wanted, 3 there).',
    ],
  ])('scaled to %i while it is held, it says so', (replicas, numbers, replacing, words) => {
    const group = { ...base.group, replicas }
    const { inPlace, replace } = outlookOf({
      ...{ ...base, group, pairs: [pair], strategy: { type: 'RollingUpdate', maxUnavailable: 1 } },
    })
    expect(inPlace).toMatchObject(numbers)
    expect(inPlace!.headline).toContain(words)
    expect(replace.headline).toContain(words)
    expect(replace).toMatchObject(replacing)
  })
  test('brought to less, all ways of it say the same numbers', () => {
    const group = { ...base.group, replicas: 3 }
    const five = { ...base, group, machines: 5, pairs: [{ ...pair, machines: 5 }] }
    const { inPlace, replace } = outlookOf({ ...five, strategy: { type: 'RollingUpdate' } })
    expect(inPlace).toMatchObject({ created: 0, deleted: 2, removed: 2, counts: { 'in-place': 3 } })
    expect(inPlace!.headline).toBe(
      '3 machines of w would be updated in place, at most 2 at a time, never fewer than 3 available; 2 machines would be deleted besides (3 wanted, 5 there).',
    )
    expect(replace).toMatchObject({ created: 3, deleted: 5, removed: 2, counts: { replace: 3 } })
    expect(replace.headline).toBe(
      '3 machines of w would be replaced: at most 3 at a time, never fewer than 3 available; 2 machines would be deleted besides (3 wanted, 5 there).',
    )
    expect(verdictOf(pair, { ...five, strategy: { type: 'RollingUpdate' } })).toEqual({
      verdict: 'in-place',
      reason:
        'Updated in place by the configured updaters, unless it is among those that go because more are there than are wanted.',
    })
  })
  test('held in the middle, with its spare there: an old one goes for that, and nobody scaled it down', () => {
    const four = { ...base, group: { ...base.group, replicas: 4 }, machines: 5, pairs: [{ ...pair, machines: 4 }] }
    const midway = { ...four, strategy: { type: 'RollingUpdate' as const }, made: 1 }
    const { inPlace, replace } = outlookOf(midway)
    const numbers = { created: 0, deleted: 1, removed: 1, forSpares: 1 }
    expect(inPlace).toEqual({
      ...{ ...numbers, counts: { 'in-place-with-spare': 3, 'up-to-date': 1 } },
      headline:
        '3 machines of w would be updated in place, one at a time, never fewer than 4 available; 1 old machine would be deleted for the spare that is there already.',
    })
    expect(replace).toMatchObject({ counts: { replace: 3 }, created: 3, deleted: 4, removed: 1, forSpares: 1 })
    expect(replace.headline).toMatch(/; 1 old machine would be deleted for the spare that is there already\.$/)
    expect(verdictOf(four.pairs[0]!, midway)).toEqual({
      verdict: 'in-place-with-spare',
      reason:
        'Updated in place by the configured updaters, unless it is the one that is deleted for the spare that is there already.',
    })
    // What is there is of its surge.
    expect(replace.headline).toMatch(/: at most 1 at a time, never fewer than 4 available; /)
    const three = { ...midway, strategy: { type: 'RollingUpdate' as const, maxSurge: 3 }, machines: 7, made: 3 }
    expect(outlookOf(three).replace.headline).toMatch(/: at most 3 at a time, /)
    // By which approval it was made is not known: what is said is true of both.
    expect(outlookOf({ ...midway, made: 0 }).inPlace!.headline).toMatch(
      /; 1 machine would be deleted besides \(4 wanted, 5 there\)\.$/,
    )
    // Scaled up meanwhile, it is wanted.
    expect(outlookOf({ ...midway, group: { ...base.group, replicas: 5 } }).inPlace!.forSpares).toBeUndefined()
  })
  test('held in the middle with its spares there, and scaled down besides: each by itself', () => {
    const group = { ...base.group, replicas: 3 }
    const midway = { ...base, group, machines: 6, pairs: [{ ...pair, machines: 4 }], made: 2 }
    const { inPlace } = outlookOf({ ...midway, strategy: { type: 'RollingUpdate' } })
    expect(inPlace).toMatchObject({ deleted: 3, removed: 3, forSpares: 2 })
    expect(inPlace!.headline).toMatch(
      /; 2 old machines would be deleted for the 2 spares that are there already; 1 machine would be deleted besides \(3 wanted, 6 there\)\.$/,
    )
    const reason = (made: number) =>
      verdictOf(midway.pairs[0]!, { ...midway, made, strategy: { type: 'RollingUpdate' } }).reason
    expect(reason(2)).toMatch(/among those that go because more are there than are wanted\.$/)
    expect(reason(3)).toMatch(/among those that are deleted for the spares that are there already\.$/)
  })
  test('what may not be read: nothing can be approved, and why', () => {
    const words = 'It may not be read.'
    const headline = 'What would become of 3 machines of w is not known: It may not be read.'
    const stuck = { ...pair, machines: 3, unread: words, certainReplace: words }
    const input = { ...base, pairs: [stuck], strategy: { type: 'RollingUpdate' as const } }
    expect(verdictOf(stuck, input)).toEqual({ verdict: 'unknown', reason: words })
    expect(outlookOf(input)).toMatchObject({
      inPlace: null,
      blocked: words,
      replace: { headline, created: 0, deleted: 0 },
    })
  })
  test('what was held moves nothing: it can be let go in place, which leads nowhere, and the words say so', () => {
    const headline = 'No machine of w would move: none differs as far as Drydock compares; what is created next may.'
    const input = {
      ...base,
      pairs: [],
      machines: base.group.replicas,
      coverage: new Map(),
      strategy: { type: 'RollingUpdate' as const },
    }
    const moved = { counts: { 'up-to-date': base.group.replicas }, created: 0, deleted: 0, headline }
    expect(outlookOf(input)).toEqual({ inPlace: moved, replace: moved, uncovered: [] })
    const unexplained = { ...pair, machines: 0, certainReplace: 'No machine differs.' }
    expect(outlookOf({ ...input, pairs: [unexplained] })).toEqual({ inPlace: moved, replace: moved, uncovered: [] })
    const gated = outlookOf({ ...input, impossible: 'Feature gates are off.' })
    expect(gated).toEqual({ inPlace: null, whyNotInPlace: 'Feature gates are off.', replace: moved, uncovered: [] })
    const larger = outlookOf({ ...input, machines: base.group.replicas - 1 })
    expect(larger.inPlace).toMatchObject({ created: 1, added: 1, deleted: 0 })
    expect(larger.replace).toEqual(larger.inPlace)
    // From nothing: the autoscaler asks for some while it is held.
    const none = outlookOf({ ...input, machines: 0 })
    expect(none.inPlace).toMatchObject({ counts: {}, created: base.group.replicas, added: base.group.replicas })
    const smaller = outlookOf({ ...input, machines: base.group.replicas + 2 })
    expect(smaller.inPlace).toMatchObject({ created: 0, deleted: 2, removed: 2 })
    expect(smaller.inPlace!.headline).toContain('2 machines would be deleted')
  })
  test.each([
    ['as many as it let go', 2, {}, 1],
    ['more than it let go', 1, {}, null],
    ['begun by no approval', undefined, {}, null],
    ['and nobody is asked any more', 2, { impossible: 'Feature gates are off.' }, null],
  ])(
    'spares are there, and what goes for them is left (%s): in place it goes on only as approved',
    (_name, spares, more, deleted) => {
      const input = {
        ...base,
        group: { ...base.group, replicas: 4 },
        machines: spares === 1 ? 6 : 5,
        pairs: [{ ...pair, machines: spares === 1 ? 2 : 1 }],
        strategy: { type: 'RollingUpdate' as const },
        ...(spares === undefined ? {} : { spares }),
        ...more,
      }
      const { inPlace, replace } = outlookOf(input)
      expect(inPlace?.deleted ?? null).toBe(deleted)
      if (deleted) expect(inPlace).toEqual(replace)
      // What goes is not updated, whoever approved it.
      expect(verdictOf(input.pairs[0]!, input).verdict).toBe('replace')
    },
  )
  test.each([
    [
      0,
      3,
      /No machine is wanted any more/,
      'No machine of w would be replaced; 5 machines would be deleted (0 wanted, 5 there).',
    ],
    [
      2,
      3,
      /As many as are wanted \(2\) are up to date/,
      'No machine of w would be replaced; 3 machines would be deleted (2 wanted, 5 there).',
    ],
  ])('brought to %i, nothing is left to be updated', (replicas, machines, why, headline) => {
    const group = { ...base.group, replicas }
    const input = {
      ...base,
      group,
      machines: 5,
      pairs: [{ ...pair, machines }],
      strategy: { type: 'RollingUpdate' as const },
    }
    const { inPlace, whyNotInPlace, replace } = outlookOf(input)
    expect(inPlace).toBeNull()
    expect(whyNotInPlace).toMatch(why)
    expect(replace).toMatchObject({ headline, created: 0, deleted: 5 - replicas })
    expect(verdictOf(pair, input).verdict).toBe('replace')
  })
  test('what no machine differs by is no machine that is up to date already', () => {
    const input = { ...base, pairs: [{ ...pair, machines: 0 }], strategy: { type: 'RollingUpdate' as const } }
    expect(verdictOf(input.pairs[0]!, input).verdict).toBe('in-place')
    expect(outlookOf(input).replace).toMatchObject({ created: 0, deleted: 0, counts: { 'up-to-date': 3 } })
  })
  test('what is not known is counted once, too, where fewer are wanted', () => {
    const input = {
      ...base,
      group: { ...base.group, replicas: 2 },
      pairs: [pair],
      coverage: new Map(),
      strategy: { type: 'RollingUpdate' as const },
    }
    expect(outlookOf({ ...input, strategy: { type: 'RollingUpdate', maxUnavailable: 1 } }).unknown).toMatchObject({
      ...{ counts: { unknown: 2 }, created: 0, deleted: 1, removed: 1 },
    })
  })
  test('with a spare, never fewer than all are available, as the rollout played forward says', () => {
    const { inPlace } = outlookOf({ ...base, pairs: [pair], strategy: { type: 'RollingUpdate' } })
    expect(inPlace!.headline).toContain('one at a time, never fewer than 3 available; one spare is created first')
  })
  test('of those that have to be replaced besides, the spare takes one only where one of the others is the last', () => {
    const certain = { ...pair, from: 'b', certainReplace: 'Passed.' }
    const spare = (older: RevisionPair, younger: RevisionPair) =>
      outlookOf({
        ...base,
        ...{ group: { ...base.group, replicas: 6 }, machines: 6, strategy: { type: 'RollingUpdate' } },
        pairs: [
          { ...older, createdAt: '2026-01-01T00:00:00Z' },
          { ...younger, createdAt: '2026-01-02T00:00:00Z' },
        ],
      }).inPlace
    expect(spare(pair, certain)).toMatchObject({ counts: { 'in-place': 3, replace: 3 }, created: 3, deleted: 3 })
    expect(spare(certain, pair)).toMatchObject({
      ...{ counts: { 'in-place-with-spare': 2, replace: 4 }, created: 4, deleted: 4, spare: 1 },
      headline: expect.stringContaining(
        'one spare is created first and one old machine is deleted; 3 machines would be replaced (Passed)',
      ) as string,
    })
  })
  test('with one that may be unavailable, all stay', () => {
    const { inPlace } = outlookOf({ ...base, pairs: [pair], strategy: { type: 'RollingUpdate', maxUnavailable: 1 } })
    expect(inPlace).toMatchObject({ created: 0, deleted: 0, counts: { 'in-place': 3 } })
    expect(inPlace!.headline).toBe(
      '3 machines of w would be updated in place, one at a time, never fewer than 2 available.',
    )
  })
  test('with one that was chosen before it was held, and waits out of service', () => {
    const strategy = { type: 'RollingUpdate', maxUnavailable: 1 } as const
    const { inPlace } = outlookOf({ ...base, pairs: [pair], strategy, outOfService: 1, unavailable: 2 })
    expect(inPlace!.headline).toBe(
      '3 machines of w would be updated in place, one at a time; 1 machine that is out of service already is updated with it; 1 machine is not available now.',
    )
  })
  test.each([
    [
      'an updater that leaves a field',
      { coverage: new Map([['a', { uncovered: ['machine: version'] }]]) },
      /No updater covers machine: version/,
    ],
    ['an updater that is down', { coverage: new Map([['a', { unknown: 'It is down.' }]]) }, /It is down/],
    ['gates off', { impossible: 'Off.' }, /Off/],
    ['rollout.after', { pairs: [{ ...pair, certainReplace: 'Passed.' }] }, /Passed/],
    ['nobody asked', { coverage: new Map() }, /asked/],
  ])('never in place with %s', (_, more, why) => {
    const outlook = outlookOf({ ...base, pairs: [pair], strategy: { type: 'RollingUpdate' }, ...more })
    expect(outlook.inPlace).toBeNull()
    expect(outlook.whyNotInPlace).toMatch(why)
    expect(outlook.replace).toMatchObject({ created: 3, deleted: 3 })
  })
  test('summary', () => {
    const summary = (fields: ShownChange[]) => summaryOf({ fields, pairs: [] })
    expect(summary(pair.changes)).toBe('v1.34.0 → v1.34.1')
    expect(summary([...pair.changes, { object: 'bootstrap', path: 'files[0]', desired: 1 }])).toBe(
      'v1.34.0 → v1.34.1, 1 more field',
    )
    const version = (current: string) => ({ object: 'machine' as const, path: 'version', current, desired: 'v1.34.4' })
    const halfWay = [version('v1.34.3'), version('v1.34.2')]
    expect(summary(halfWay)).toBe('v1.34.2 and v1.34.3 → v1.34.4')
    const file = { object: 'bootstrap' as const, path: 'files[0]', desired: 1 }
    expect(summary([...halfWay, { ...file, current: 2 }, { ...file, current: 3 }])).toBe(
      'v1.34.2 and v1.34.3 → v1.34.4, 1 more field',
    )
    expect(summary(['v1.34.3', 'v1.9.0', 'v1.34.2'].map(version))).toBe('v1.9.0, v1.34.2 and v1.34.3 → v1.34.4')
    expect(summary(['v1.34.3', 'v1.9.0', 'v1.34.2', 'v1.34.0'].map(version))).toBe(
      'v1.9.0, v1.34.0 and 2 others → v1.34.4',
    )
    expect(summary([file, { ...file, current: 2 }])).toBe('bootstrap: files[0]')
    const after = { object: 'machine' as const, path: 'rollout.after' }
    expect(summary([{ ...after, desired: '2026-11-21T15:29:45Z' }])).toBe(
      'roll out what is older than 2026-11-21 15:29 UTC',
    )
    expect(summary([{ ...after, current: '2026-11-21T15:29:45Z' }])).toBe('no rollout by time any more')
    expect(summary([{ object: 'infrastructure', path: 'flavor', desired: 'big' }])).toBe('infrastructure: flavor')
    const unread = { ...pair, unread: 'It may not be read.' }
    const reference = { object: 'machine' as const, path: 'infrastructureRef.name', current: 'a', desired: 'b' }
    expect(summaryOf({ fields: [reference], pairs: [unread] })).toBe('a template that may not be read')
    expect(summaryOf({ fields: [...pair.changes, reference], pairs: [unread] })).toBe(
      'v1.34.0 → v1.34.1, and more that may not be read',
    )
  })
})

describe('who updates what was approved', () => {
  const of = (...names: string[]) => ({
    changes: names.map((coveredBy) => ({ object: 'machine' as const, path: 'version', coveredBy })),
  })
  test.each([
    ['Updated in place by second.', of('reference'), 'Updated in place by reference.'],
    [
      'Updated in place by a, b and c, unless it is among those that go.',
      of('a', 'b'),
      'Updated in place by a and b, unless it is among those that go.',
    ],
    ['Updated in place by filer and reference.', of('reference', 'filer'), 'Updated in place by filer and reference.'],
    ['Updated in place by second.', of(), 'Updated in place by second.'],
    ['Updated in place by second.', undefined, 'Updated in place by second.'],
    ['No updater covers x.', of('reference'), 'No updater covers x.'],
  ])('%s', (now, approved, words) => expect(byApproved(now, approved)).toBe(words))
})
