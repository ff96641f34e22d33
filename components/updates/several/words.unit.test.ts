import { describe, expect, test } from 'vitest'
import type { OneResult } from '@/lib/services/changes/decide-each'
import type { SeveralPreview, SeveralRow } from '@/lib/services/changes/preview-several'
import type { TimingDto } from '@/lib/services/policies/timing'
import { inAllWords, meansWords, reasonWords, resultOf, resultsWords, verbWords } from './words'

const row = (over: Partial<SeveralRow> = {}): SeveralRow => ({
  ...{ changeId: 'c', groupName: 'a', groupKind: 'MachineDeployment', workloadCluster: 'w', clusterName: 'm' },
  ...{ summary: 'v1 → v2', fingerprint: 'f', configs: null, headline: 'h', deleted: 0, risks: [], reasonFor: null },
  ...{ left: 0, needed: 1, oneMore: false, timing: null, early: null, pausedByOthers: null, ...over },
})
const preview = (rows: SeveralRow[], out = 0, mode: SeveralPreview['mode'] = 'replace'): SeveralPreview => ({
  ...{ mode, rows, irreversible: [], watched: 0 },
  leftOut: Array.from({ length: out }, (_, i) => ({
    ...{ changeId: `o${i}`, groupName: 'o', clusterName: 'm', workloadCluster: 'w', why: 'No.', hint: null },
  })),
  deleted: rows.reduce((sum, { deleted }) => sum + deleted, 0),
})
const frozen: TimingDto = {
  ...{ open: false, why: 'freeze', opens: null, closes: null, zone: 'UTC', policy: 'p', span: null, closesBy: null },
  ...{
    also: [],
    apart: [],
    besides: [],
    override: null,
    paused: null,
    stopped: null,
    step: null,
    wave: null,
    shape: null,
  },
} as unknown as TimingDto

describe('before', () => {
  test('how many, in which way, and how many machines go', () => {
    expect(inAllWords(preview([row(), row()], 0, 'in-place'))).toEqual([
      '2 updates are approved in place. No machine is deleted.',
    ])
    expect(inAllWords(preview([row({ deleted: 3 }), row({ deleted: 4 })], 1))).toEqual([
      '2 updates are approved replacing. 7 machines are deleted in all. 1 update is left out, for the reasons below.',
    ])
    expect(inAllWords(preview([row({ deleted: 1 })]))).toEqual([
      '1 update is approved replacing. 1 machine is deleted in all.',
    ])
    expect(inAllWords(preview([row(), row()], 0, 'reject'))).toEqual(['2 updates stay held, marked as rejected.'])
    expect(inAllWords(preview([], 2))).toEqual(['Nothing can be decided so: all of them are left out, as said below.'])
  })

  test('where none goes at once, no machine is said to be deleted now', () => {
    const rows = [row({ deleted: 3, left: 1, needed: 2 }), row({ deleted: 4, timing: frozen })]
    expect(inAllWords(preview(rows))[0]).toBe(
      '2 updates are approved replacing; none of them moves yet. 7 machines will be deleted in all when they go.',
    )
    expect(inAllWords(preview([row({ pausedByOthers: 'group' })], 0, 'in-place'))[0]).toBe(
      '1 update is approved in place; it does not move yet. No machine is deleted.',
    )
  })

  test('what does not go at once, and what stands against it', () => {
    const rows = [row({ left: 1, needed: 2 }), row({ timing: frozen }), row({ risks: ['etcd.'] }), row()]
    expect(inAllWords(preview(rows)).slice(1)).toEqual([
      '1 of them needs more approvals than yours.',
      '1 of them may not move now, as said there.',
      'Something stands against 1 of them: read it before you approve.',
    ])
  })

  test('until when its machines may move, where that ends', () => {
    const closesBy = { why: 'window', policy: 'nights', span: null }
    const open = {
      ...frozen,
      open: true,
      why: null,
      closes: '2026-11-25T04:00:00.000Z',
      closesBy,
    } as unknown as TimingDto
    expect(meansWords(row({ timing: open }))).toEqual([
      expect.stringMatching(/^Machines may move until .*04:00 UTC, when the window of the policy nights ends: /),
    ])
    expect(meansWords(row({ timing: { ...open, closes: null } }))).toEqual([])
    expect(meansWords(row({ left: 1, needed: 2, timing: open }))).toHaveLength(1)
  })

  test('what approving one of them means', () => {
    expect(meansWords(row())).toEqual([])
    expect(meansWords(row({ left: 2, needed: 3 }))).toEqual([
      'With yours, 2 more of 3 approvals are missing: nothing moves yet.',
    ])
    expect(meansWords(row({ left: 1, needed: 2, oneMore: true }))[0]).toContain('one more is asked for')
    expect(meansWords(row({ needed: 2 }))).toEqual(['Of 2 approvals, yours is the last that is missing.'])
    expect(meansWords(row({ timing: frozen }))).toEqual([
      'The policy p freezes it, for longer than a year.',
      'What is approved now goes by itself when that is over.',
    ])
    expect(meansWords(row({ pausedByOthers: 'group' }))[0]).toContain('paused the group themselves')
    expect(meansWords(row({ pausedByOthers: 'cluster' }))[0]).toBe(
      'Somebody paused its whole Cluster: it goes when that pause is taken away.',
    )
  })

  test('who asks for a reason', () => {
    expect(reasonWords([row()])).toBeNull()
    const p = row({ reasonFor: 'the policy p' })
    expect(reasonWords([p, row(), p])).toBe('The policy p asks for one. ')
    expect(reasonWords([p, row({ reasonFor: 'the policy q' })])).toBe('The policy p, and 1 more, ask for one. ')
  })

  test('what the button does', () => {
    expect(verbWords('in-place', 3)).toBe('Approve 3 in place')
    expect(verbWords('replace', 1)).toBe('Approve 1 replacing')
    expect(verbWords('reject', 2)).toBe('Reject 2')
  })
})

describe('after', () => {
  type Decision = NonNullable<OneResult['decision']>
  const made = (over: Partial<Decision>): OneResult => ({
    ...{ changeId: 'c', outcome: 'decided', failure: null },
    decision: { state: 'accepted', error: null, answer: null, ...over } as Decision,
  })
  const failed = (error: string, outcome: OneResult['outcome']): OneResult => ({
    ...made({ state: 'failed', error }),
    outcome,
  })
  const refused = (
    code: NonNullable<OneResult['failure']>['code'],
    outcome: OneResult['outcome'] = 'refused',
  ): OneResult => ({
    ...{ changeId: 'c', outcome, decision: null },
    failure: { code, message: 'No.', hint: 'Look.' },
  })

  test.each([
    ['accepted', made({}), 'done', false],
    ['seen', made({ state: 'seen' }), 'done', false],
    ['recorded', made({ state: 'recorded' }), 'done', false],
    ['one of several', made({ state: 'gathering', missing: 1 }), 'kept', false],
    ['for later', made({ state: 'gathering', missing: 0, timing: frozen }), 'kept', false],
    ['refused by the cluster', failed('No.', 'refused'), 'refused', true],
    ['not answered by the cluster', failed('No answer.', 'unanswered'), 'unanswered', true],
    ['another change by now', { ...made({ state: 'voided' }), outcome: 'refused' }, 'refused', false],
    ['another fingerprint', refused('conflict'), 'refused', false],
    ['not allowed', refused('forbidden'), 'refused', false],
    ['not to be had', refused('unavailable'), 'refused', true],
    ['failed', refused('internal', 'unanswered'), 'unanswered', true],
    ['not begun', refused('unavailable', 'not-begun'), 'not-begun', true],
  ] as const)('%s', (_, result, kind, again) => {
    expect(resultOf('replace', result)).toMatchObject({ kind, again })
  })

  test('in words', () => {
    expect(resultOf('replace', refused('conflict'))).toMatchObject({ words: 'No.', hint: 'Look.' })
    expect(resultOf('reject', made({})).words).toBe('Rejected, and accepted by the cluster.')
    expect(resultOf('replace', made({ state: 'gathering', missing: 2 })).words).toBe(
      'Your approval is kept: 2 more are needed, and nothing is sent to the cluster before.',
    )
    expect(resultOf('replace', made({ state: 'gathering', missing: 0, timing: frozen })).words).toBe(
      'Your approval is kept. The policy p freezes it, for longer than a year. It goes by itself when that is over.',
    )
    expect(resultOf('replace', made({ state: 'applying', unanswered: 2 })).words).toContain('not known yet')
    const told = [made({}), made({ state: 'gathering', missing: 1 }), refused('conflict'), made({})]
    const inAll = (all: OneResult[]) =>
      resultsWords(
        'in-place',
        all.map((one) => resultOf('in-place', one)),
      )
    expect(inAll(told)).toBe('2 approved, 1 kept for later, 1 refused.')
    const others = [failed('No answer.', 'unanswered'), refused('unavailable', 'not-begun')]
    expect(inAll([...told, ...others])).toBe(
      '2 approved, 1 kept for later, 1 refused, 1 without an answer, 1 not begun.',
    )
  })
})
