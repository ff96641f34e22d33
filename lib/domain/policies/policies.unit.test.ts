import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  authorship,
  BUILT_IN,
  byPrecedence,
  durationOf,
  isDuration,
  resolve,
  RULES,
  specificity,
  standingOf,
  type Approval,
  type Resolved,
  type PolicySpec,
  type Selection,
} from './index'
import { fits, moreSpecific } from './select'
import { group, policy, saying } from './testing/group'

const asked = (name: string, approvals: number, select: Selection) => policy(name, { select, approvals })

describe('patterns', () => {
  test.each([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['a*', 'ab', true],
    ['a*', 'ba', false],
    ['*b', 'ab', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['ab*bc', 'abc', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
  ])('%s and %s: %s', (pattern, text, wanted) => expect(fits(pattern, text)).toBe(wanted))

  test('as a regular expression says it', () => {
    const some = fc.array(fc.constantFrom('a', 'b', '*', '.'), { maxLength: 8 }).map((list) => list.join(''))
    fc.assert(
      fc.property(some, fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 }), (pattern, text) => {
        const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'))
        expect(fits(pattern, text)).toBe(new RegExp(`^${parts.join('.*')}$`, 's').test(text))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('which groups a policy is for', () => {
  test.each<[Selection, boolean]>([
    [{}, true],
    [{ names: [] }, true],
    [{ clusters: ['atlas'] }, true],
    [{ clusters: ['tidal'] }, false],
    [{ workloadClusters: ['payments-*'] }, true],
    [{ labels: { env: 'prod' } }, true],
    [{ labels: { env: '*' } }, true],
    [{ labels: { env: 'stage' } }, false],
    [{ labels: { region: '*' } }, false],
    [{ labels: { constructor: '*' } }, false],
    [{ labels: { env: 'prod', team: 'search' } }, false],
    [{ namespaces: ['search', 'payments'] }, true],
    [{ kinds: ['KubeadmControlPlane'] }, false],
    [{ names: ['*-workers-a'], clusters: ['tidal'] }, false],
  ])('%j: %s', (select, wanted) => expect(specificity(select, group) !== null).toBe(wanted))

  // From the least specific one on.
  const ladder: Selection[] = [
    {},
    { kinds: ['MachineDeployment'] },
    { clusters: ['at*'] },
    { clusters: ['atlas'] },
    { labels: { env: 'prod' } },
    { labels: { env: 'prod', team: '*' } },
    { namespaces: ['pay*'] },
    { namespaces: ['payments'] },
    { workloadClusters: ['pay*'] },
    { workloadClusters: ['payments*'] },
    { workloadClusters: ['payments-prod'] },
    { workloadClusters: ['payments-prod'], labels: { env: 'prod' } },
    { names: ['*-workers-*'] },
    { names: ['payments-prod-workers-a'] },
    { names: ['payments-prod-workers-a'], clusters: ['atlas'] },
  ]
  test.each(ladder.slice(1).map((select, i) => [select, ladder[i]!] as const))('%j before %j', (more, less) => {
    const of = (select: Selection) => specificity(select, group)!
    expect(moreSpecific(of(more), of(less))).toBeGreaterThan(0)
    expect(moreSpecific(of(less), of(more))).toBeLessThan(0)
    const given = [asked('less', 5, less), asked('more', 2, more)]
    expect(resolve(given, group).approvals).toMatchObject({ value: 2, policy: { name: 'more' } })
  })

  test('the list has them in this order, whatever the group', () => {
    const named = ladder.map((select, i) => ({ name: `p${i}`, select }))
    expect(named.toSorted(byPrecedence).map(({ name }) => name)).toEqual(named.map(({ name }) => name).reverse())
  })

  test('a pattern for everything is none', () => {
    const of = (select: Selection) => specificity(select, group)!
    expect(moreSpecific(of({ names: ['*'] }), of({}))).toBe(0)
  })
})

describe('which rules hold', () => {
  test('without a policy: what is built in', () => {
    const rules = resolve([], group)
    expect(Object.fromEntries(RULES.map((rule) => [rule, rules[rule].value]))).toEqual(BUILT_IN)
    expect(rules).toMatchObject({ windows: [], freezes: [] })
    expect(rules.approvals).toMatchObject({ policy: null, why: 'no policy says otherwise' })
  })

  test('windows are those of the most specific policy that has some; freezes add up', () => {
    const span = (why: string) => ({ starts: '2026-11-24T22:00', lasts: '4h', timeZone: 'Europe/Berlin', why })
    const wide = policy('wide', { select: {}, windows: [span('wide')], freezes: [span('Christmas')] }, 7)
    const narrow = policy('narrow', {
      select: { names: ['payments-*'] },
      windows: [span('narrow')],
      freezes: [span('sale')],
    })
    const names = (all: Resolved['windows']) => all.map(({ value, policy: of, why }) => [of?.name, value[0]!.why, why])
    const both = resolve([wide, narrow], group)
    expect(names(both.windows)).toEqual([['narrow', 'narrow', 'the group fits payments-*']])
    expect(names(both.freezes)).toEqual([
      ['narrow', 'sale', 'the group fits payments-*'],
      ['wide', 'Christmas', 'it is for every group'],
    ])
    const twin = policy('twin', { select: {}, windows: [span('twin')] })
    expect(names(resolve([wide, twin], group).windows).map(([name]) => name)).toEqual(['twin', 'wide'])
    const always = policy('always', { select: { names: ['payments-*'] }, windows: 'always' })
    expect(resolve([wide, always], group)).toMatchObject({ windows: [], freezes: [{ policy: { name: 'wide' } }] })
  })

  test('each rule from the most specific policy that says it', () => {
    const wide = policy('wide', { select: { labels: { env: 'prod' } }, approvals: 2, strategy: 'in-place-only' }, 7)
    const narrow = policy('narrow', { select: { names: ['payments-prod-*'] }, strategy: 'replace' })
    const rules = resolve([wide, narrow], group)
    expect(rules.strategy).toEqual({
      value: 'replace',
      policy: { id: 'narrow', name: 'narrow', version: 1 },
      why: 'the group fits payments-prod-*',
    })
    expect(rules.approvals).toEqual({
      value: 2,
      policy: { id: 'wide', name: 'wide', version: 7 },
      why: 'the workload cluster has the label env=prod',
    })
    expect(rules.reasonRequired.policy).toBeNull()
  })

  test.each<[Selection, Selection, string]>([
    [{}, { kinds: ['MachineDeployment'] }, ', and it names the kind MachineDeployment, which wide does not'],
    [
      { clusters: ['a*'] },
      { clusters: ['atlas'] },
      ', and it names the management cluster atlas, more closely than wide does',
    ],
    [{ names: ['payments-*'] }, { names: ['payments-prod-workers-a'] }, ''],
  ])('what both say alike is no reason: %j, and %j', (wide, narrow, wanted) => {
    const labels = { env: 'prod' }
    const waves = [{ name: 'all' }]
    const rules = resolve(
      [
        policy('wide', { select: { labels, ...wide }, notTheAuthor: true, windows: 'always', waves: 'none' }),
        policy('narrow', { select: { labels, ...narrow }, notTheAuthor: false, windows: 'always', waves }),
      ],
      group,
    )
    const why = wanted ? `the workload cluster has the label env=prod${wanted}` : `it names the group ${group.name}`
    const told = { policy: { name: 'narrow' }, why }
    expect(rules).toMatchObject({ notTheAuthor: told, always: told, waves: told })
  })

  test.each<[keyof PolicySpec, unknown, unknown]>([
    ['strategy', 'in-place-only', 'prefer-in-place'],
    ['strategy', 'prefer-in-place', 'replace'],
    ['approvals', 2, 1],
    ['notTheAuthor', true, false],
    ['scaleWhileHeld', false, true],
    ['reasonRequired', true, false],
    ['expiresAfter', '1h', '2d'],
    ['expiresAfter', '9d', 'never'],
    ['stopsAt', 1, 2],
    ['stopsAt', '10%', 'never'],
    ['stopsAt', 5, '10%'],
    ['stopsAt', '2%', 3],
    ['readyWithin', '5m', '20m'],
    ['readyWithin', '9d', 'never'],
  ])('of two equally specific ones the stricter: %s %s before %s', (rule, strict, lax) => {
    const a = policy('a', { select: {}, [rule]: lax })
    const b = policy('b', { select: {}, [rule]: strict })
    for (const list of [
      [a, b],
      [b, a],
    ]) {
      const told = resolve(list, group)[rule as 'approvals']
      expect(told).toMatchObject({ value: strict, policy: { name: 'b' } })
      expect(told.why).toBe('it is for every group, and is stricter than a')
    }
  })

  test('the order in which they are read does not matter', () => {
    const spec = fc.record({
      select: fc.constantFrom<Selection>({}, { names: ['payments*'] }, { namespaces: ['payments'] }, { kinds: ['X'] }),
      approvals: fc.option(fc.nat(3), { nil: undefined }),
      strategy: fc.option(fc.constantFrom('in-place-only', 'prefer-in-place', 'replace'), { nil: undefined }),
      expiresAfter: fc.option(fc.constantFrom('never', '1h', '60m', '2d'), { nil: undefined }),
    }) as fc.Arbitrary<PolicySpec>
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (specs, random) => {
        const policies = specs.map((s, i) => policy(`p${i}`, s))
        const shuffled = policies
          .map((p) => [random.next().value as number, p] as const)
          .sort(([a], [b]) => a - b)
          .map(([, p]) => p)
        expect(resolve(shuffled, group)).toEqual(resolve(policies, group))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('durations', () => {
  test.each([
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['never', null],
  ])('%s', (text, ms) => expect(durationOf(text)).toBe(ms))
  test.each(['', '0h', '-1h', '1.5h', '1w', 'h', '99999d', ' 1h'])('not %j', (text) => {
    expect(isDuration(text)).toBe(false)
    expect(() => durationOf(text)).toThrow(RangeError)
  })
})

const NOW = new Date('2026-11-22T03:00:00Z')
const word = (actorId: string, more: Partial<Approval> = {}): Approval => ({
  ...{ actorId, mode: 'in-place', at: NOW, reason: null, expiresAt: null, endedAt: null },
  ...more,
})
const rules = (approvals: number, notTheAuthor = false) =>
  resolve([policy('p', { select: {}, approvals, notTheAuthor })], group)
const NOBODY = authorship('kubectl-edit', [{ id: 'ada', names: ['Ada', 'ada@example.com'] }])
const ADA = authorship('ada@example.com', [{ id: 'ada', names: ['Ada', 'Ada@Example.com'] }])

describe('approvals', () => {
  test.each<[string, Approval[], ReturnType<typeof rules>, typeof NOBODY, { needed: number; missing: number }]>([
    ['one', [word('ada')], rules(1), NOBODY, { needed: 1, missing: 0 }],
    ['one of two', [word('ada')], rules(2), NOBODY, { needed: 2, missing: 1 }],
    ['twice the same person', [word('ada'), word('ada')], rules(2), NOBODY, { needed: 2, missing: 1 }],
    ['two', [word('ada'), word('bo')], rules(2), NOBODY, { needed: 2, missing: 0 }],
    ['for the other way', [word('ada', { mode: 'replace' })], rules(1), NOBODY, { needed: 1, missing: 1 }],
    ['the newest word', [word('ada'), word('ada', { mode: 'replace' })], rules(1), NOBODY, { needed: 1, missing: 1 }],
    ['taken back', [word('ada', { endedAt: NOW })], rules(1), NOBODY, { needed: 1, missing: 1 }],
    ['expired', [word('ada', { expiresAt: NOW })], rules(1), NOBODY, { needed: 1, missing: 1 }],
    ['not yet', [word('ada', { expiresAt: new Date(NOW.getTime() + 1) })], rules(1), NOBODY, { needed: 1, missing: 0 }],
    ['the author counts', [word('ada')], rules(1), ADA, { needed: 1, missing: 0 }],
    ['unless they do not', [word('ada')], rules(1, true), ADA, { needed: 1, missing: 1 }],
    ['others do', [word('ada'), word('bo')], rules(1, true), ADA, { needed: 1, missing: 0 }],
    ['nobody knows the author', [word('ada')], rules(1, true), NOBODY, { needed: 2, missing: 1 }],
    ['one of them is not', [word('ada'), word('bo')], rules(1, true), NOBODY, { needed: 2, missing: 0 }],
    ['people approve also what none is asked for', [], rules(0), NOBODY, { needed: 1, missing: 1 }],
  ])('%s', (_, approvals, held, author, wanted) =>
    expect(standingOf(approvals, 'in-place', held, author, NOW)).toMatchObject(wanted),
  )

  test('what was approved under laxer rules is held to those of now', () => {
    const of = (spec: Omit<PolicySpec, 'select'>, more: Partial<Approval>) =>
      standingOf([word('ada', more)], 'in-place', saying(spec), NOBODY, NOW).missing
    const before = { at: new Date(NOW.getTime() - 3_600_000) }
    expect(of({ expiresAfter: '2h' }, before)).toBe(0)
    expect(of({ expiresAfter: '60m' }, before)).toBe(1)
    expect(of({ reasonRequired: true }, {})).toBe(1)
    expect(of({ reasonRequired: true }, { reason: 'CVE' })).toBe(0)
  })

  test('nobody approves beyond what they said: as many different people stand as are counted', () => {
    const some = fc.record({
      actorId: fc.constantFrom('a', 'b', 'c'),
      mode: fc.constantFrom('in-place' as const, 'replace' as const),
      expiresAt: fc.constantFrom(null, NOW, new Date(NOW.getTime() + 1)),
      endedAt: fc.constantFrom(null, NOW),
      ...{ at: fc.constant(NOW), reason: fc.constant(null) },
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.nat(3), fc.boolean(), (approvals, needed, strict) => {
        const ways = (['in-place', 'replace'] as const).map((mode) =>
          standingOf(approvals, mode, rules(needed, strict), ADA, NOW).standing.map(({ actorId }) => actorId),
        )
        const all = ways.flat()
        expect(new Set(all).size).toBe(all.length)
        for (const id of all) {
          const last = approvals.findLast(({ actorId }) => actorId === id)!
          expect(last.endedAt).toBeNull()
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('a tool is nobody, also where somebody is called nothing', () => {
    expect(authorship(null, [{ id: 'x', names: [''] }]).known).toBe(false)
    expect(authorship('  ', [{ id: 'x', names: [''] }]).known).toBe(false)
    expect(ADA.isBy('ada')).toBe(true)
    expect(ADA.isBy('bo')).toBe(false)
  })
})
