import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { ChangeSet, FieldChange } from '../changes'
import { shareOf, type PolicyGroup, type Wave } from '../policies'
import { exactWishOf, membersOf, wavesAt, wishOf, withRest, type Member, type Words } from '.'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const HOUR = 3_600_000
const NOBODY: Words = { begun: new Set(), skipped: new Map() }
const group = (name: string, more: Partial<PolicyGroup> = {}): PolicyGroup & { id: string } => ({
  ...{ cluster: 'm', workloadCluster: name.split('/')[0]!, labels: {}, namespace: 'n', kind: 'MachineDeployment' },
  ...{ id: name, name },
  ...more,
})
const m = (name: string, state: Member['state'], more: Partial<Member> = {}): Member => ({
  id: name,
  name,
  state,
  ...more,
})

describe('a group of which no machine lacks it at this moment', () => {
  const waves = [{ name: 'canary' }, { name: 'rest' }]
  const at = (...canary: Member[]) => wavesAt(waves, [canary, [m('c', 'open')]], [2, 1], NOBODY, NOW)
  const through = m('b', 'through', { since: NOW - HOUR })

  test.each(['waiting for approval', 'rejected'])('opens nothing after it by that: %s', (words) => {
    const [canary, rest] = at(m('a', 'open', { nobody: true, at: words }), through)
    expect(canary).toMatchObject({ state: 'open', wanting: 2, through: 1, needsPerson: true, nobody: true })
    expect(rest).toMatchObject({ state: 'waits', why: `canary is not through: a (${words})`, needsPerson: true })
  })

  it('is let go, and tries nothing by that: what comes after it waits for somebody, but for where another one tried it', () => {
    const none = m('a', 'none')
    const [canary, rest] = at(none)
    expect(canary).toMatchObject({ state: 'open', wanting: 0, none: 1, needsPerson: true })
    expect(rest).toMatchObject({
      state: 'waits',
      needsPerson: true,
      why: expect.stringContaining('(let go, and no machine is known to have begun with it: a)'),
    })
    expect(at(none, through).map(({ state }) => state)).toEqual(['through', 'open'])
  })

  it('is one of those that are waited for, and goes by itself once it is approved', () => {
    const empty = m('a', 'open', { nobody: true })
    expect(at(empty, m('b', 'open'))[0]).not.toHaveProperty('nobody')
    expect(at(empty, m('b', 'open'))[1]).not.toHaveProperty('needsPerson')
    expect(at(m('a', 'open', { nobody: true, at: 'approved' }), through)[1]).not.toHaveProperty('needsPerson')
  })
})

describe('which group is in which wave', () => {
  const ten = Array.from({ length: 10 }, (_, i) => group(`c${i}/w`))
  const waves: Wave[] = [
    { name: 'canary', select: { workloadClusters: ['c7'] } },
    { name: 'few', size: '20%' },
  ]

  it('takes what it selects, by cluster and name, up to its size; the rest comes last', () => {
    const found = membersOf(withRest(waves), ten)
    const of = (wave: number) => ten.filter(({ id }) => found.get(id) === wave).map(({ id }) => id)
    expect([of(0), of(1), of(2).length]).toEqual([['c7/w'], ['c0/w', 'c1/w'], 7])
  })

  it('counts control planes before workers of the same cluster', () => {
    const mixed = [group('a/w'), group('a/cp', { kind: 'KubeadmControlPlane' }), group('b/w')]
    const found = membersOf(withRest([{ name: 'first', size: 1 }]), mixed)
    expect(found.get('a/cp')).toBe(0)
  })

  it('adds none where the last one takes everything', () => {
    expect(withRest([{ name: 'rest' }])).toHaveLength(1)
    expect(withRest([{ name: 'all', size: 3 }]).at(-1)).toEqual({ name: 'rest' })
  })

  it('is the same in any order, and each group is in one wave', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,3}\/[wx]{1,3}$/), { maxLength: 20 })
    const sizes = fc.array(fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), { maxLength: 4 })
    fc.assert(
      fc.property(names, sizes, (all, given) => {
        const groups = all.map((name) => group(name))
        const some = withRest(given.map((size, i) => ({ name: `w${i}`, size })))
        const found = membersOf(some, groups)
        expect(found).toEqual(membersOf(some, groups.toReversed()))
        expect(found.size).toBe(groups.length)
      }),
    )
  })

  test.each([
    [3, 10, 3],
    ['10%', 10, 1],
    ['10%', 11, 2],
    ['1%', 3, 1],
    ['100%', 7, 7],
  ] as const)('%s of %i groups are %i', (size, of, n) => expect(shareOf(size, of)).toBe(n))
})

describe('where waves stand', () => {
  const waves: Wave[] = [{ name: 'canary', soak: '1h' }, { name: 'few' }, { name: 'rest', ownApproval: true }]
  const at = (members: Member[][], words: Partial<Words> = {}, groups = [1, 1, 1]) =>
    wavesAt(waves, members, groups, { ...NOBODY, ...words }, NOW)
  const [a, b, c] = [m('a', 'open', { at: 'under way' }), m('b', 'open'), m('c', 'open')]
  const done = (name: string, ago = 2 * HOUR) => m(name, 'through', { since: NOW - ago })

  it('the first is open, and the others wait for it, by name', () => {
    const [canary, few, rest] = at([[a], [b], [c]])
    expect(canary).toMatchObject({ state: 'open', groups: 1, wanting: 1, through: 0 })
    expect(few).toMatchObject({ state: 'waits', why: 'canary is not through: a (under way); then canary soaks for 1h' })
    // What comes between, and what will be asked for then, is said before.
    const between = 'canary is not through: a (under way); then canary soaks for 1h; then few has to be through'
    const then = `${between}; then somebody has to say that it begins`
    expect(rest).toMatchObject({ state: 'waits', why: then, asksThen: true })
    expect(few).not.toHaveProperty('asksThen')
    expect(rest).not.toHaveProperty('asksPerson')
    const said = at([[a], [b], [c]], { begun: new Set(['rest']) })[2]
    expect(said).toMatchObject({ state: 'waits', why: between })
    expect(said).not.toHaveProperty('asksThen')
    // What nobody waits for, or what nothing in it wants, does not come between.
    for (const [members, words] of [
      [[[a], [], [c]], {}],
      [[[a], [b], [c]], { skipped: new Map([['few', NOW]]) }],
    ] as const)
      expect(
        at(
          members.map((one) => [...one]),
          { ...words, begun: new Set(['rest']) },
        )[2]?.why,
      ).toBe('canary is not through: a (under way); then canary soaks for 1h')
    const soaking: Wave[] = [{ name: 'one' }, { name: 'two', soak: '30m' }, { name: 'three' }, { name: 'four' }]
    expect(wavesAt(soaking, [[a], [b], [c], [c]], [1, 1, 1, 1], NOBODY, NOW)[3]?.why).toBe(
      'one is not through: a (under way); then two, with its soak of 30m, and three have to be through',
    )
  })

  it('what is through soaks, for as long as it is said', () => {
    expect(at([[done('a', HOUR / 2)], [b], [c]])[1]).toEqual({
      ...{ name: 'few', groups: 1, wanting: 1, through: 0, there: 0, state: 'waits', opensAt: NOW + HOUR / 2 },
      soaksAfter: 'canary',
      why: 'it soaks: canary is through, and the next may begin 2026-11-22 12:30 UTC',
    })
    expect(at([[done('a')], [b], [c]])[1]).toMatchObject({ state: 'open' })
    // Where somebody has to say so afterwards, it does not open by itself then.
    const asks: Wave[] = [
      { name: 'canary', soak: '1h' },
      { name: 'few', ownApproval: true },
    ]
    const soaks = wavesAt(asks, [[done('a', HOUR / 2)], [b]], [1, 1], NOBODY, NOW)[1]
    expect(soaks).toMatchObject({ state: 'waits', soaksAfter: 'canary', asksThen: true })
    expect(soaks).not.toHaveProperty('opensAt')
    expect(soaks?.why).toMatch(/may begin .* UTC, when somebody says so$/)
    // Of several that soak, the one that takes longest.
    const long: Wave[] = [{ name: 'canary', soak: '9h' }, { name: 'few', soak: '1h' }, { name: 'rest' }]
    expect(wavesAt(long, [[done('a')], [done('b')], [c]], [1, 1, 1], NOBODY, NOW)[2]).toMatchObject({
      soaksAfter: 'canary',
    })
    // The last one that was through counts.
    expect(at([[done('a'), done('x', 60_000)], [b], [c]])[1]).toMatchObject({ state: 'waits' })
  })

  it('one that asks for it begins when somebody says so, and not before the others are through', () => {
    const waiting = at([[done('a')], [done('b')], [c]])[2]
    expect(waiting).toMatchObject({
      state: 'waits',
      asksPerson: true,
      asksThen: true,
      why: 'somebody has to say that it begins',
    })
    const begun = new Set(['rest'])
    expect(at([[done('a')], [done('b')], [c]], { begun })[2]).toMatchObject({ state: 'open' })
    expect(at([[done('a')], [b], [c]], { begun })[2]).toMatchObject({ state: 'waits' })
  })

  it('skipped, it is not waited for, nor does it soak; what is in it goes when it could have gone', () => {
    const skipped = new Map([['canary', NOW - 1]])
    const [canary, few] = at([[a], [b], [c]], { skipped })
    expect([canary!.state, canary!.skipped, few!.state]).toEqual(['through', true, 'open'])
    const later = at([[a], [b], [c]], { skipped: new Map([['few', NOW - 1]]) })
    const why = 'canary is not through: a (under way); then canary soaks for 1h'
    expect(later[1]).toMatchObject({ state: 'waits', skipped: true, why })
  })

  it('what nobody has tried lets nothing after it go, but a wave in the middle that nobody wants does', () => {
    expect(at([[], [b], [c]])[1]).toMatchObject({
      ...{ state: 'waits', needsPerson: true },
      why: 'no group in canary wants it now, and none is known to have it and keep it',
    })
    // Where it is looked at, too.
    expect(at([[], [b], [c]])[0]).toMatchObject({
      state: 'open',
      needsPerson: true,
      why: expect.stringContaining('no group in canary') as string,
    })
    expect(at([[m('a', 'there')], [b], [c]])).toMatchObject([{ wanting: 0, there: 1 }, { state: 'open' }, {}])
    const begun = new Set(['rest'])
    expect(at([[done('a')], [], [c]], { begun })[2]).toMatchObject({ state: 'open' })
  })

  it('a wave without any group opens nothing either: its selection may be misspelt', () => {
    expect(at([[], [b], [c]], {}, [0, 1, 1])[1]).toMatchObject({
      ...{ state: 'waits', needsPerson: true, why: 'canary has no group that could try it' },
    })
    expect(at([[done('a')], [], [c]], { begun: new Set(['rest']) }, [1, 0, 1])[2]).toMatchObject({ state: 'open' })
  })

  it('says where nothing is under way that would end the waiting', () => {
    const [first, second] = at([[m('a', 'open', { at: 'rejected' })], [b], [c]])
    expect([first, second]).toMatchObject([{ state: 'open', needsPerson: true }, { needsPerson: true }])
    expect(at([[a], [b], [c]])[0]).not.toHaveProperty('needsPerson')
    expect(at([[m('a', 'open', { at: 'rejected' }), a], [b], [c]])[1]).not.toHaveProperty('needsPerson')
  })

  it('who has it from before, and does not count as it is, is named with what that waits for', () => {
    const has = (name: string) => m(name, 'has', { counts: 'its rollout is over' })
    const why = 'no group in canary wants it now: a has it, and counts once its rollout is over'
    expect(at([[has('a')], [b], [c]])).toMatchObject([{ state: 'open', needsPerson: true, has: 1, why }, { why }, {}])
    expect(at([[has('a'), has('x'), has('y')], [b], [c]])[1]!.why).toBe(`${why}; so it is with 2 more`)
    expect(at([[done('z'), has('a')], [b], [c]])[0]).toMatchObject({ wanting: 1, state: 'through' })
  })

  it('what was through, and is not known to have it still, soaks, and tries nothing', () => {
    const was = m('x', 'was', { since: NOW - HOUR / 2 })
    expect(at([[done('a'), was], [b], [c]])[1]).toMatchObject({ state: 'waits', soaksAfter: 'canary' })
    const lost = m('mast', 'was', { since: NOW - HOUR, lost: 'a newer configuration of it takes that back' })
    const why =
      'no group in canary wants it now, and none is known to have it and keep it (mast was through 2026-11-22 11:00 UTC and counts no more: a newer configuration of it takes that back; x was through 2026-11-22 11:30 UTC and counts no more: whether it still has it is not known)'
    const old = [lost, { ...was, since: NOW - HOUR / 2 }]
    expect(at([old, [b], [c]])).toMatchObject([{ state: 'open', wanting: 0, was: 2, why }, { state: 'waits', why }, {}])
    // One that ran, and has to wait again, is told from one that nobody tried; also where nothing holds it.
    expect(at([[lost], [was], [c]])[1]).toMatchObject({ state: 'waits', wanting: 0, was: 1 })
    expect(at([[done('a')], [{ ...was, since: 0 }], [c]])[1]).toMatchObject({ state: 'through', was: 1 })
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => m(name, 'was', { lost: 'gone' }))
    expect(at([many, [b], [c]])[1]!.why).toMatch(/c was through and counts no more: gone; and 2 more\)$/)
  })

  it('names no more than three', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => m(name, 'open'))
    expect(at([many, [b], []])[1]!.why).toContain('canary is not through: a, b, c and 2 more; ')
  })

  it('nothing opens before all before it are through or skipped, and all come through in the end', () => {
    const member = fc.record({
      state: fc.constantFrom('through' as const, 'there' as const, 'open' as const),
      ago: fc.integer({ min: 0, max: 5 * HOUR }),
    })
    const wave = fc.record({
      members: fc.array(member, { maxLength: 3 }),
      soak: fc.constantFrom(undefined, '1h', '3h'),
      ownApproval: fc.boolean(),
      said: fc.constantFrom('', 'begun', 'skipped'),
    })
    fc.assert(
      fc.property(fc.array(wave, { minLength: 1, maxLength: 5 }), (given) => {
        const all: Wave[] = given.map(({ soak, ownApproval }, i) => ({ name: `w${i}`, soak, ownApproval }))
        const members = given.map(({ members: some }, i) =>
          some.map(({ state, ago }, k) => m(`${i}-${k}`, state, state === 'through' ? { since: NOW - ago } : {})),
        )
        const names = (said: string) => given.flatMap((one, i) => (one.said === said ? [`w${i}`] : []))
        const words = { begun: new Set(names('begun')), skipped: new Map(names('skipped').map((n) => [n, NOW - 1])) }
        const sizes = members.map(({ length }) => length)
        const states = wavesAt(all, members, sizes, words, NOW)
        for (const [i, one] of states.entries()) {
          if (one.state !== 'open') continue
          for (const [k, before] of states.slice(0, i).entries()) {
            if (words.skipped.has(before.name)) continue
            expect(before.state).toBe('through')
            expect(members[k]!.every(({ state }) => state !== 'open')).toBe(true)
            const soak = { '1h': HOUR, '3h': 3 * HOUR }[all[k]!.soak ?? ''] ?? 0
            for (const { since } of members[k]!) if (since !== undefined) expect(since + soak).toBeLessThanOrEqual(NOW)
          }
          if (all[i]!.ownApproval) expect(words.begun.has(one.name)).toBe(true)
        }
        // With everything through and everybody's word, nothing is left that waits.
        const through = members.map((_, i) => [m(`${i}`, 'through', { since: 0 })])
        const begun = new Set(all.map(({ name }) => name))
        const over = wavesAt(all, through, sizes, { begun, skipped: new Map() }, NOW)
        for (const { state } of over) expect(state).toBe('through')
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('what a change wants, whoever wants it', () => {
  const field = (path: string, desired: string, more: object = {}): FieldChange => ({
    ...{ object: 'infrastructure' as const, path, desired },
    ...more,
  })
  const set = (...changes: FieldChange[]): ChangeSet => ({
    pairs: [{ from: 'a', machines: 1, fingerprint: 'f', changes }],
    fields: changes,
  })
  const version: FieldChange = { object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }

  it('a version is the whole wish', () => {
    expect(wishOf(set(version, field('image', 'x')))).toBe('version v1.34.1')
    expect(wishOf(set({ ...version, current: 'v1.33.9' }))).toBe(wishOf(set(version)))
  })

  it('else the fields and their values; names of templates and secrets do not count', () => {
    const image = field('image', 'x')
    const reference: FieldChange = { object: 'machine', path: 'infrastructureRef.name', desired: 'a-1' }
    const secret = (value: string) => field('password', value, { secret: true })
    expect(wishOf(set(image))).toBe(wishOf(set(image, reference)))
    expect(wishOf(set(image))).not.toBe(wishOf(set(field('image', 'y'))))
    expect(wishOf(set(secret('••• a')))).toBe(wishOf(set(secret('••• b'))))
    const restart = (desired: string): FieldChange => ({ object: 'machine', path: 'rollout.after', desired })
    expect(wishOf(set(restart('2026-01-01T00:00:00Z')))).toBe(wishOf(set(restart('2026-01-01T00:05:00Z'))))
    expect(wishOf(set(image, secret('•')))).toBe(wishOf(set(secret('•'), image)))
    // Exactly the same only with the same dates; of secrets nobody knows.
    const [then, now] = [set(restart('2026-01-01T00:00:00Z')), set(restart('2026-01-01T00:05:00Z'))]
    expect(exactWishOf(then)).toBe(exactWishOf(set(restart('2026-01-01T00:00:00Z'))))
    expect(exactWishOf(then)).not.toBe(exactWishOf(now))
    expect(exactWishOf(set(image))).toBe(wishOf(set(image)))
    expect(exactWishOf(set(secret('••• a')))).toBeNull()
    expect(exactWishOf(set(version, secret('••• a')))).toBe('version v1.34.1')
  })
})
