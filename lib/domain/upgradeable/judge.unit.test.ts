import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { upgradeableConditions } from './conditions'
import { upgradeability } from './judge'
import { findings } from './report'
import type { UpgradeFacts } from './types'

const FORMS = [
  ['4.22.4', 'conditions'],
  ['4.21.14', 'conditions'],
  ['4.18.20', 'conditions'],
  ['4.23.1', 'risks'],
] as const

const facts = (desired: string, more: Partial<UpgradeFacts> = {}): UpgradeFacts => ({
  history: [{ state: 'Completed', version: desired }],
  desired,
  conditions: [],
  overrides: [],
  operators: [],
  gates: {},
  acks: {},
  ...more,
})
const no = (name: string, reason: string, message: string) => ({
  name,
  upgradeable: { type: 'Upgradeable', status: 'False', reason, message, lastTransitionTime: '2026-11-21T07:13:00Z' },
})
const yes = (name: string) => ({ name, upgradeable: { type: 'Upgradeable', status: 'True' } })
const override = (name: string, unmanaged = true) => ({
  ...{ kind: 'Deployment', group: 'apps', namespace: 'openshift-x' },
  name,
  unmanaged,
})
const PROGRESSING = { type: 'Progressing', status: 'True', message: 'Working towards 4.22.6' }

/** As the operator of that release would have written its conditions. */
const told = (f: UpgradeFacts): UpgradeFacts => ({
  ...f,
  conditions: [...(f.conditions ?? []), ...upgradeableConditions(findings(f), f.desired)],
})

describe('what the Cluster Version Operator writes', () => {
  const [minor] = FORMS
  it('one operator up to 4.22: its reason, its words with a few in front', () => {
    expect(
      upgradeableConditions(findings(facts(minor[0], { operators: [no('etcd', 'Why', 'No.')] })), minor[0]),
    ).toEqual([
      {
        ...{ type: 'Upgradeable', status: 'False', reason: 'Why' },
        message: 'Cluster operator etcd should not be upgraded between minor or major versions: No.',
      },
    ])
  })

  it('several kinds up to 4.22: a sub-condition each, that of an update True', () => {
    const f = facts(minor[0], {
      conditions: [PROGRESSING],
      operators: [no('a', 'R1', 'One.'), no('b', 'R2', 'Two.')],
      gates: { 'ack-4.22-x': 'Confirm.' },
    })
    const written = upgradeableConditions(findings(f), minor[0])
    expect(written.map((c) => [c.type, c.status, c.reason])).toEqual([
      ['Upgradeable', 'False', 'MultipleReasons'],
      ['UpgradeableAdminAckRequired', 'False', 'AdminAckRequired'],
      ['UpgradeableClusterOperators', 'False', 'ClusterOperatorsNotUpgradeable'],
      ['UpgradeableUpgradeInProgress', 'True', 'UpdateInProgress'],
    ])
    expect(written[0]!.message).toMatch(
      /multiple reasons: AdminAckRequired,ClusterOperatorsNotUpgradeable,UpdateInProgress\n\* Confirm\.\n\* Multiple cluster operators/,
    )
  })

  it.each([
    [{ operators: [no('etcd', 'Why', 'No.')] }, 'RiskNameNotCompatibleWithReasonProperty', 'No.'],
    [{ gates: { 'ack-4.23-x': 'Confirm.' } }, 'RiskNameNotCompatibleWithReasonProperty', 'Confirm.'],
    [{ overrides: [override('a')] }, 'ClusterVersionOverrides', undefined],
    [{ conditions: [PROGRESSING] }, 'ClusterVersionUpdating', undefined],
    [{ gates: null }, 'AdminAckUnknown', undefined],
  ] as const)('from 4.23 on one reason %#: %s', (more, reason, message) => {
    const written = upgradeableConditions(findings(facts('4.23.1', more as Partial<UpgradeFacts>)), '4.23.1')
    expect(written).toHaveLength(1)
    expect(written[0]).toMatchObject({ type: 'Upgradeable', reason })
    if (message) expect(written[0]!.message).toBe(message)
  })

  it('from 4.23 on several reasons: words, and no sub-conditions', () => {
    const f = facts('4.23.1', { operators: [no('a', 'R', 'One.')], gates: { 'ack-4.23-x': 'Confirm.' } })
    expect(upgradeableConditions(findings(f), '4.23.1')).toEqual([
      {
        ...{ type: 'Upgradeable', status: 'False', reason: 'MultipleReasons' },
        message:
          'Cluster should not be upgraded between minor or major versions for multiple reasons:\n* Confirm.\n* One.',
      },
    ])
  })
})

describe.each(FORMS)('what Drydock makes of a cluster of %s', (version, form) => {
  const gate = `ack-${version.slice(0, 4)}-x`
  const judge = (f: UpgradeFacts) => upgradeability(f)

  it('is open where nobody objects', () => {
    expect(judge(facts(version, { operators: [yes('etcd'), { name: 'dns', upgradeable: undefined }] }))).toMatchObject({
      ...{ state: 'open', blockers: [], form },
      sentence: `Updates beyond ${version.slice(0, 4)} are open.`,
    })
  })

  it('is closing while ClusterVersion has not taken it up', () => {
    const judged = judge(facts(version, { operators: [no('etcd', 'Why', 'No.')] }))
    expect(judged).toMatchObject({ state: 'closing', blockers: [{ item: 'etcd', said: 'not-yet', reason: 'Why' }] })
  })

  it('names every operator, also those that ClusterVersion hides behind one another', () => {
    const f = facts(version, {
      operators: [no('a', 'R1', 'One.'), no('b', 'R2', 'Two.'), yes('c')],
      gates: { [gate]: 'Confirm.', bad: 'x' },
      overrides: [override('a'), override('b', false)],
    })
    const judged = judge(told(f))
    expect(judged.state).toBe('closed')
    expect(judged.blockers.map((b) => `${b.source} ${b.item}`).sort()).toEqual(
      ['gate bad', `gate ${gate}`, 'operator a', 'operator b', 'overrides '].sort(),
    )
    expect(judged.sentence).toBe(
      `5 reasons keep updates beyond ${version.slice(0, 4)} closed. Patch releases within ${version.slice(0, 4)} stay open.`,
    )
  })

  it('counts what keeps them closed apart from what ClusterVersion does not say yet', () => {
    const before = told(facts(version, { operators: [no('a', 'R1', 'One.'), yes('b'), yes('c')] }))
    const minor = version.slice(0, 4)
    const judged = judge({
      ...before,
      operators: [no('a', 'R1', 'One.'), no('b', 'R2', 'Two.'), no('c', 'R3', 'Three.')],
    })
    expect(judged.sentence).toBe(
      `One reason keeps updates beyond ${minor} closed, and 2 more will when the Cluster Version Operator takes them up. Patch releases within ${minor} stay open.`,
    )
  })

  it('puts first what takes one click, and last what opens by itself', () => {
    const before = told(facts(version, { gates: { [gate]: 'Confirm.', [`${gate}-2`]: 'Also.' } }))
    const judged = judge({ ...before, acks: { [gate]: 'true' }, operators: [no('etcd', 'Why', 'No.')] })
    expect(judged.blockers.map((b) => b.item)).toEqual([`${gate}-2`, 'etcd', gate])
  })

  it('says of what is no longer in the way that it opens by itself', () => {
    const before = told(facts(version, { gates: { [gate]: 'Confirm.' } }))
    const judged = judge({ ...before, acks: { [gate]: 'true' } })
    expect(judged.state).toBe('closed')
    expect(judged.sentence).toMatch(/is no longer in the way/)
    expect(judged.blockers).toMatchObject([{ source: 'gate', item: gate, said: 'no-longer' }])
  })

  it('tells whose words are left as far as they are named: from 4.23 on ClusterVersion names nobody', () => {
    const before = told(facts(version, { operators: [no('etcd', 'Why', 'No.')] }))
    const [blocker] = judge({ ...before, operators: [yes('etcd')] }).blockers
    expect(blocker).toMatchObject(
      form === 'risks'
        ? { source: 'other', message: 'No.', said: 'both' }
        : { source: 'operator', item: 'etcd', message: 'No.', said: 'no-longer' },
    )
  })

  it.each([
    ['One.', 'Two.'],
    ['One.', 'One. Two.'],
    ['One. Two.', 'One.'],
    ...(form === 'risks' ? [] : [['One.', '']]),
    ['2 nodes (a, b)', '3 nodes (a, b, c)'],
  ])('counts an operator once whose words change from %j to %j', (was, is) => {
    const before = told(facts(version, { operators: [no('a', 'R1', was)] }))
    const judged = judge({ ...before, operators: [no('a', 'R2', is)] })
    expect(judged.blockers).toMatchObject([{ source: 'operator', item: 'a', reason: 'R2', message: is }])
    expect(judged.sentence).toMatch(/^One reason keeps/)
  })

  it('counts no operator twice whose words change among others’', () => {
    const more = { gates: { [gate]: 'Confirm.' }, overrides: [override('a')] }
    const before = told(facts(version, { ...more, operators: [no('a', 'R1', 'One.'), no('b', 'R2', 'Two.')] }))
    const judged = judge({ ...before, operators: [no('a', 'R1', 'One.'), no('b', 'R3', 'Three.')] })
    expect(judged.blockers.map((b) => `${b.source} ${b.item} ${b.said}`).sort()).toEqual(
      [`gate ${gate} both`, 'operator a both', 'operator b not-yet', 'overrides  both'].sort(),
    )
  })

  it('keeps what only ClusterVersion knows', () => {
    const message =
      'Cluster minor or major version upgrades are not allowed while resource deletions are in progress; resources=x'
    const reason = form === 'risks' ? 'ResourceDeletionInProgress' : 'ResourceDeletesInProgress'
    const conditions = [{ type: 'Upgradeable', status: 'False', reason, message }]
    expect(judge(facts(version, { conditions })).blockers).toMatchObject([
      { source: 'deletion', message, said: 'both' },
    ])
  })

  it('does not take an evaluation that failed for closed', () => {
    const conditions = [{ type: 'Upgradeable', status: 'Unknown', reason: 'EvaluationFailed', message: 'x' }]
    expect(judge(facts(version, { conditions })).state).toBe('unknown')
    expect(judge(facts(version, { conditions: null })).state).toBe('unknown')
  })

  it('counts a missing ConfigMap and does not count one that may not be read', () => {
    expect(judge(facts(version, { gates: null })).blockers).toMatchObject([{ source: 'gates', item: 'admin-gates' }])
    expect(judge(facts(version, { acks: null })).blockers).toMatchObject([{ source: 'gates', item: 'admin-acks' }])
    const unread = facts(version, { acks: undefined, gates: { [gate]: 'Confirm.' } })
    expect(judge(unread)).toMatchObject({ blockers: [], gates: [{ state: 'unknown', ack: null }] })
    const conditions = told({ ...unread, acks: {} }).conditions
    expect(judge({ ...unread, conditions }).blockers).toMatchObject([{ source: 'gate', item: gate, said: 'both' }])
    expect(judge(facts(version, { gates: undefined })).blockers).toEqual([])
  })
})

const word = fc.stringMatching(/^[A-Z][a-z ]{2,20}[.]$/)
const anyFacts = (version: string) =>
  fc
    .record({
      operators: fc.uniqueArray(
        fc.record({ name: fc.stringMatching(/^[a-z]{3,8}$/), message: word, closed: fc.boolean() }),
        {
          selector: (o) => o.name,
          maxLength: 5,
        },
      ),
      gates: fc.dictionary(
        fc.stringMatching(/^(ack-4[.]2[123]-[a-z]{1,5}|bad[a-z]{1,3})$/),
        fc.oneof(word, fc.constant('')),
        {
          maxKeys: 4,
        },
      ),
      overridden: fc.boolean(),
      updating: fc.boolean(),
      lost: fc.boolean(),
    })
    .map(({ operators, gates, overridden, updating, lost }) =>
      facts(version, {
        operators: operators.map((o) => (o.closed ? no(o.name, 'Reason', o.message) : yes(o.name))),
        gates: lost ? null : gates,
        overrides: overridden ? [override('x')] : [],
        conditions: updating ? [PROGRESSING] : [],
      }),
    )

describe.each(FORMS)('whatever is against an update of %s', (version) => {
  it('is found again in what the operator wrote of it, and nothing else', () => {
    fc.assert(
      fc.property(anyFacts(version), (f) => {
        const found = findings(f)
        const judged = upgradeability(told(f))
        expect(judged.state).toBe(found.length > 0 ? 'closed' : 'open')
        expect(judged.blockers.map((b) => `${b.source}/${b.item}`).sort()).toEqual(
          found.map((b) => `${b.source}/${b.item}`).sort(),
        )
        expect(judged.blockers.every((b) => b.said === 'both')).toBe(true)
      }),
    )
  })

  it('has a place of its own, also while ClusterVersion still says what was before', () => {
    fc.assert(
      fc.property(anyFacts(version), anyFacts(version), (before, now) => {
        const judged = upgradeability({ ...now, conditions: told(before).conditions })
        const keys = judged.blockers.filter((b) => b.item).map((b) => `${b.source}/${b.item}`)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })

  it('never throws for words that nobody wrote', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('True', 'False', 'Unknown', ''),
        (message, reason, status) => {
          const judged = upgradeability(
            facts(version, { conditions: [{ type: 'Upgradeable', status, reason, message }] }),
          )
          expect(judged.sentence).not.toBe('')
          if (status === 'False') expect(judged.blockers.length).toBeGreaterThan(0)
        },
      ),
    )
  })
})
