import { expect, it } from 'vitest'
import type { Outlook } from '@/lib/domain/changes/types'
import { goesByIt, overrideWords, resumedWords } from './override-words'

const [GOES, OPEN, KEPT] = [
  { goes: true, why: null },
  { goes: false, why: 'Whether it can is not known.', open: true },
  { goes: false, why: 'It began before.' },
] as const
const APPROVED = { due: true, unasked: null }
const asks = (unasked: typeof GOES | typeof OPEN | typeof KEPT | null) => ({ due: false, unasked })
const STILL = 'It takes the place of no approval: as many as its policy asks for are still needed.'
const COVERED = 'in place, once its updaters have answered that they cover it.'
const ALL = { oneByOne: null, step: null }
const [DEPLOYMENT, POOL] = ['MachineDeployment', 'MachineConfigPool']

it.each([
  ['not known', null, null, DEPLOYMENT, STILL],
  ['not approved', asks(null), null, DEPLOYMENT, STILL],
  ['approved', APPROVED, null, DEPLOYMENT, 'It is approved: it goes at once.'],
  [
    'approved, and paused by somebody',
    APPROVED,
    'group',
    DEPLOYMENT,
    'It is approved, and somebody paused the group themselves: it goes when that pause is taken away.',
  ],
  [
    'approved, and paused by somebody with its Cluster',
    APPROVED,
    'both',
    DEPLOYMENT,
    'It is approved, and somebody paused the group themselves, and its whole Cluster: it goes when both pauses are taken away.',
  ],
  [
    'a pool that is approved, and paused by somebody',
    APPROVED,
    'group',
    POOL,
    'It is approved, and somebody paused the pool themselves: it goes when the pool is resumed.',
  ],
  [
    'half way, and nobody is asked',
    { due: true, unasked: GOES },
    null,
    DEPLOYMENT,
    'Its policy asks nobody: it goes at once.',
  ],
  ['nobody is asked', asks(GOES), null, DEPLOYMENT, 'Its policy asks nobody: it goes at once.'],
  [
    'nobody is asked, and paused by somebody',
    asks(GOES),
    'cluster',
    DEPLOYMENT,
    'Its policy asks nobody, and somebody paused its whole Cluster: it goes when that pause is taken away.',
  ],
  ['not known yet', asks(OPEN), null, DEPLOYMENT, `Its policy asks nobody: it goes ${COVERED}`],
  [
    'not known yet, and paused by somebody',
    asks(OPEN),
    'group',
    DEPLOYMENT,
    `Its policy asks nobody, and somebody paused the group themselves: it goes when that pause is taken away, ${COVERED}`,
  ],
  [
    'nobody is asked, and it is for people',
    asks(KEPT),
    null,
    DEPLOYMENT,
    'It takes the place of no approval: its policy asks nobody, but it does not go by itself. It began before.',
  ],
] as const)('%s', (_, by, theirs, kind, words) => {
  expect(overrideWords(by, theirs, kind)).toBe(words)
})

it('says what goes by it, the way that is approved; of what is not, or somebody paused, nothing goes', () => {
  const outcome = (headline: string) => ({ counts: {}, created: 0, deleted: 0, headline })
  const [inPlace, replace] = [
    outcome('2 machines of cp would be updated in place.'),
    outcome('3 machines of cp would be replaced.'),
  ]
  const outlook: Outlook = { inPlace, replace, uncovered: [] }
  const of = (dueMode: 'in-place' | 'replace' | null, theirs: 'group' | null = null) =>
    goesByIt({ outlook, dueMode, held: { theirs }, ...ALL })
  expect(of('in-place')).toBe('2 machines of cp will be updated in place.')
  expect(of('replace')).toBe('3 machines of cp will be replaced.')
  expect([of(null), of('replace', 'group')]).toEqual([null, null])
  expect(goesByIt({ outlook, dueMode: null, held: null, ...ALL }, 'in-place')).toBe(of('in-place'))
  expect(goesByIt({ outlook: { ...outlook, inPlace: null }, dueMode: 'in-place', held: null, ...ALL })).toBeNull()
})

it('of what is approved, held and resumed, says what goes at once where nothing else holds it', () => {
  const headline = 'A machine of cp would be replaced.'
  const outlook: Outlook = { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline }, uncovered: [] }
  const change = { outlook, dueMode: 'replace' as const, held: null, stopped: null, ...ALL }
  const stopped = { at: '', policy: 'p', why: '1 machine failed' }
  expect(resumedWords({ ...change, state: 'waiting' }, true)).toBe(
    'Where nothing of that holds it any more, it goes at once: a machine of cp will be replaced.',
  )
  expect([
    resumedWords({ ...change, state: 'waiting' }, false),
    resumedWords({ ...change, state: 'running' }, true),
    resumedWords({ ...change, state: 'waiting', stopped }, true),
  ]).toEqual([null, null, null])
})

it('of a control plane that goes machine by machine, says so; between two of them nothing goes by it', () => {
  const all = { counts: {}, created: 0, deleted: 0, headline: '3 machines of cp would be replaced.' }
  const outlook: Outlook = { inPlace: null, replace: all, uncovered: [] }
  const change = { outlook, dueMode: 'replace' as const, held: null, stopped: null, state: 'waiting' as const }
  const oneByOne = { machine: null, done: 1 }
  expect(resumedWords({ ...change, oneByOne, step: null }, true)).toBe(
    'Where nothing of that holds it any more, it goes on, one machine at a time: after each it waits until somebody lets the next one go.',
  )
  expect(resumedWords({ ...change, oneByOne, step: { done: 1, of: 3, since: '' } }, true)).toBeNull()
})
