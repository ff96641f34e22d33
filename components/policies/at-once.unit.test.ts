import { expect, test } from 'vitest'
import type { AtOnce } from '@/lib/services/policies/at-once'
import { atOnceWords } from './at-once'
import { warningsOf } from './warnings'

const part = (
  changes: number,
  more: Partial<AtOnce['later'] & AtOnce['sooner']> = {},
): AtOnce['goes'] & AtOnce['later'] & AtOnce['sooner'] => ({
  ...{
    changes,
    inPlace: 0,
    replaced: 0,
    created: 0,
    deleted: 0,
    byHand: 0,
    first: [],
    digest: '',
    may: 0,
    at: null,
    ...more,
  },
})
const NONE: AtOnce = {
  ...{
    goes: part(0),
    later: part(0),
    sooner: part(0),
    held: part(0),
    heldLater: part(0),
    mayHold: part(0),
    staysPaused: part(0),
    stops: part(0),
    asksAgain: part(0),
    ended: [],
    scaled: 0,
  },
}

test.each<[Partial<AtOnce>, string[]]>([
  [{}, []],
  [
    { ended: [{ policy: 'prod', wave: 'second', what: 'begin', by: 'Ada' }] },
    [
      'What Ada said of the wave second of prod counts no more, that it begins: its groups are written otherwise. Look at it, and say it anew.',
    ],
  ],
  [
    { scaled: 2 },
    ['2 worker groups that are held are scaled, as they want another number of machines: of what is there now.'],
  ],
  [
    { goes: part(1, { replaced: 12 }) },
    ['1 change that waits goes at once, with nobody asked again: 12 machines are replaced.'],
  ],
  [
    { goes: part(2, { replaced: 1, inPlace: 3 }) },
    [
      '2 changes that wait go at once, with nobody asked again: 1 machine is replaced, 3 machines are updated in place.',
    ],
  ],
  [
    { ended: [{ policy: 'prod', what: 'stop', by: 'Ada', changes: 1 }] },
    ['That Ada stopped the waves of prod holds 1 change no more: it goes by other waves, or by none.'],
  ],
  [
    { sooner: part(2, { replaced: 3, at: Date.UTC(2026, 0, 5, 10) }) },
    ['2 changes that wait go sooner, the first of them at 2026-01-05 10:00 UTC: 3 machines are replaced.'],
  ],
  [
    { sooner: part(1, { inPlace: 3, at: Date.UTC(2026, 0, 5, 10) }) },
    ['1 change that waits goes sooner, at 2026-01-05 10:00 UTC: 3 machines are updated in place.'],
  ],
  [
    { staysPaused: part(2) },
    [
      '2 changes that wait are let go, at once or when their time comes, and nothing of them moves: somebody’s own pause keeps them.',
    ],
  ],
  [
    { mayHold: part(1) },
    ['1 rollout that was let go and has not begun is held within seconds where its wave is shut.'],
  ],
  [
    { later: part(1, { inPlace: 1 }) },
    ['1 change that waits goes by itself when its time or wave comes: 1 machine is updated in place.'],
  ],
  [
    { later: part(1, { inPlace: 1, may: 1 }) },
    [
      '1 change that waits goes by itself when its time or wave comes, at once where the wave is open: 1 machine is updated in place.',
    ],
  ],
  [
    { later: part(3, { inPlace: 4, may: 1 }) },
    [
      '3 changes that wait go by themselves when their time or wave comes, 1 of them at once where their wave is open: 4 machines are updated in place.',
    ],
  ],
  [
    { goes: part(1, { inPlace: 7, deleted: 1 }) },
    [
      '1 change that waits goes at once, with nobody asked again: 7 machines are updated in place, 1 machine is deleted.',
    ],
  ],
  [
    { goes: part(2, { replaced: 3, byHand: 2, created: 2 }) },
    [
      '2 changes that wait go at once, with nobody asked again: 3 machines are replaced (2 of them only when somebody deletes them), 2 machines are created.',
    ],
  ],
  [
    { goes: part(1, { replaced: 1, byHand: 1 }) },
    [
      '1 change that waits goes at once, with nobody asked again: 1 machine is replaced (only when somebody deletes it).',
    ],
  ],
  [{ goes: part(1) }, ['1 change that waits goes at once, with nobody asked again: no machine of it changes.']],
  [
    { heldLater: part(1, { at: Date.UTC(2026, 10, 30, 12, 17) }) },
    [
      '1 rollout that is under way is held, from 2026-11-30 12:17 UTC on: machines that have begun by then are finished, the rest waits.',
    ],
  ],
  [
    { heldLater: part(2, { at: Date.UTC(2026, 10, 30, 12, 17) }) },
    [
      '2 rollouts that are under way are held, the first of them from 2026-11-30 12:17 UTC on: machines that have begun by then are finished, the rest waits.',
    ],
  ],
  [
    { held: part(1), stops: part(2), asksAgain: part(3) },
    [
      '1 rollout that is under way is held within seconds: machines that have begun are finished, the rest waits.',
      '2 rollouts that are under way stop by themselves: so many machines have failed already.',
      '3 changes that enough people have approved ask people again: by then that is not enough, or not the way.',
    ],
  ],
])('%j', (atOnce, words) => expect(atOnceWords({ ...NONE, ...atOnce })).toEqual(words))

test('what would not be as it looks', () => {
  const nothing = {
    taken: null,
    waves: null,
    idle: [],
    neither: 0,
    neverOpens: false,
    neverOpen: [],
    shortLived: null,
    otherWaves: [],
    overruled: [],
    strangeLabels: [],
    strangeUpdaters: [],
    tooFew: null,
  }
  expect(warningsOf(nothing)).toEqual([])
  expect(
    warningsOf({
      ...nothing,
      taken: 'one',
      idle: [{ words: 'maxSurge 2', groups: 3, why: 'of control planes it is 0 or 1' }],
      neither: 1,
      tooFew: { asked: 3, besides: true, people: 2 },
      neverOpens: true,
      neverOpen: [{ policies: ['a', 'b'], groups: 2 }],
      shortLived: {
        ...{ lasts: '24h', from: '2026-11-27T01:00:00.000Z', to: '2026-12-01T21:00:00.000Z' },
        ...{ timeZone: 'Europe/Berlin', enough: '5d' },
      },
      otherWaves: [{ policy: 'wide', groups: 7, asClose: true }],
      strangeLabels: [{ label: 'env=prodd', there: ['env=prod'] }],
      strangeUpdaters: ['kubelett'],
      overruled: [{ rule: 'approvals', value: 0, policy: 'rings', theirs: 1, groups: 2, asClose: true }],
    }),
  ).toEqual([
    'There is already a policy named one: it cannot be saved by this name.',
    'No workload cluster has the label env=prodd; there are env=prod.',
    'No updater is registered as kubelett: nobody is asked by that name.',
    '“no approval” does not count for 2 groups of it: the policy rings describes them as closely and is stricter: “1 approval”.',
    'maxSurge 2 means nothing for 3 groups of it: of control planes it is 0 or 1. What the group says stays.',
    '1 group would have both maxSurge 0 and maxUnavailable 0, which the API server refuses: nothing of it could go. Write maxUnavailable: 1, too.',
    'It asks for 3 approvals, with the one more where nobody knows who wrote the change, and 2 accounts may approve: nothing could go. Give somebody the role approver, or ask for fewer.',
    'By its windows and freezes, no machine may move within a year.',
    'a and b are never open together within a year: nothing of 2 groups could go.',
    'An approval lasts 24h, and by its windows and freezes nothing begins from 2026-11-27 01:00 UTC (02:00 in Europe/Berlin) to 2026-12-01 21:00 UTC (22:00 in Europe/Berlin): what is approved as that begins expires before it may go. Let an approval last 5d or longer (expiresAfter).',
    '7 groups of it go by the waves of the policy wide, which describes them as closely and has no fewer waves: they are in none of these.',
  ])
})
