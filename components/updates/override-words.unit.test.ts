import { expect, it } from 'vitest'
import type { Outlook } from '@/lib/domain/changes/types'
import { goesByIt, overrideWords, resumedWords } from './override-words'

it.each([
  [
    false,
    null,
    'MachineDeployment',
    'It takes the place of no approval: as many as its policy asks for are still needed.',
  ],
  [true, null, 'MachineDeployment', 'It is approved: it goes at once.'],
  [
    true,
    'group',
    'MachineDeployment',
    'It is approved, and somebody paused the group themselves: it goes when that pause is taken away.',
  ],
  [
    true,
    'both',
    'MachineDeployment',
    'It is approved, and somebody paused the group themselves, and its whole Cluster: it goes when both pauses are taken away.',
  ],
  [
    true,
    'group',
    'MachineConfigPool',
    'It is approved, and somebody paused the pool themselves: it goes when the pool is resumed.',
  ],
] as const)('approved: %s, paused: %s, of a %s', (due, theirs, kind, words) => {
  expect(overrideWords(due, theirs, kind)).toBe(words)
})

it('says what goes by it, the way that is approved; of what is not, or somebody paused, nothing goes', () => {
  const outcome = (headline: string) => ({ counts: {}, created: 0, deleted: 0, headline })
  const [inPlace, replace] = [
    outcome('2 machines of cp would be updated in place.'),
    outcome('3 machines of cp would be replaced.'),
  ]
  const outlook: Outlook = { inPlace, replace, uncovered: [] }
  const of = (dueMode: 'in-place' | 'replace' | null, theirs: 'group' | null = null) =>
    goesByIt({ outlook, dueMode, held: { theirs } })
  expect(of('in-place')).toBe('2 machines of cp will be updated in place.')
  expect(of('replace')).toBe('3 machines of cp will be replaced.')
  expect([of(null), of('replace', 'group')]).toEqual([null, null])
  expect(goesByIt({ outlook: { ...outlook, inPlace: null }, dueMode: 'in-place', held: null })).toBeNull()
})

it('of what is approved, held and resumed, says what goes at once where nothing else holds it', () => {
  const headline = 'A machine of cp would be replaced.'
  const outlook: Outlook = { inPlace: null, replace: { counts: {}, created: 0, deleted: 0, headline }, uncovered: [] }
  const change = { outlook, dueMode: 'replace' as const, held: null, stopped: null }
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
