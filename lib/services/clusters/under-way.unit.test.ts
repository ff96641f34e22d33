import { expect, it } from 'vitest'
import { movesWords, without } from './under-way'

type Row = Parameters<typeof without>[0]
const row = (part: Partial<Row>): Row => ({
  ...{ mode: null, answer: null, steps: false, holding: false, updating: false, replacing: false },
  ...part,
})

it.each<[string, Partial<Row>, ReturnType<typeof without>]>([
  ['was approved replacing', { mode: 'replace', answer: 'replace' }, 'nothing'],
  ['was found under way, replacing, and nobody asks', { replacing: true }, 'nothing'],
  ['was found under way, and the gate holds the rest', { replacing: true, answer: 'held' }, 'held-by-gate'],
  ['was found under way, and nothing is known of it', {}, 'held-by-gate'],
  ['was approved replacing, and that has expired', { mode: 'replace', answer: 'held' }, 'held-by-gate'],
  ['is updated in place', { mode: 'in-place', answer: 'in-place' }, 'in-place'],
  ['was approved replacing in the middle of an update in place', { mode: 'replace', updating: true }, 'in-place'],
  ['goes machine by machine', { mode: 'replace', steps: true }, 'steps'],
  ['is being held again', { mode: 'replace', holding: true, replacing: true }, 'holding'],
])('without the gate, what %s', (_, part, becomes) => expect(without(row(part), true)).toBe(becomes))

it.each<[string, Partial<Row>, ReturnType<typeof without>]>([
  ['goes machine by machine', { mode: 'replace', steps: true }, 'steps'],
  ['is being held again', { mode: 'replace', holding: true, steps: true }, 'holding'],
  ['is being held again, approved in place', { mode: 'in-place', holding: true, updating: true }, 'holding'],
  ['goes machine by machine, approved in place', { mode: 'in-place', steps: true }, 'steps'],
  ['was approved', { mode: 'replace' }, 'nothing'],
  ['was approved in place', { mode: 'in-place', updating: true }, 'nothing'],
  ['a gate held that is there no more', { answer: 'held' }, 'nothing'],
])('where no gate is asked, what %s', (_, part, becomes) => expect(without(row(part), false)).toBe(becomes))

it('says what to do about it, where something can be done', () => {
  expect(movesWords('in-place', false)).toMatch(/Let it finish, pause it, or reject what is left\.$/)
  expect(movesWords('in-place', true)).toMatch(/^Somebody paused it .* or reject what is left\.$/)
  expect(movesWords('held-by-gate', false)).not.toMatch(/reject/)
})
