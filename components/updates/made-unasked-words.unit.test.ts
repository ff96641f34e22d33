import { expect, it } from 'vitest'
import { withMade } from '@/lib/domain/hull'
import { movedUnapproved } from './held-words'
import { isMadeUnasked, madeWords } from './machine-words'
import { overWords } from './outcome-words'
import { change as changed } from './testing'
import { headlineOf, stateOf } from './words'

it('what moved once its hold was taken away is told, also where one machine had been made while only the gate held it', () => {
  const at = '2026-11-21T16:00:00.000Z'
  const of = (name: string) => ({ name, state: 'ready', progress: { startedAt: at, state: 'created', finishedAt: at } })
  const change = {
    ...{ state: 'done', heldBy: 'none', groupKind: 'KubeadmControlPlane', decision: null, decisions: [] },
    ...{ letGoBefore: null, ended: null, heldWords: null },
    ...{ machinesList: ['b', 'c'].map(of), outcome: { updatedInPlace: 0, created: 2, deleted: 3, failed: 0 } },
  }
  const told = (letGoOutside: boolean) => movedUnapproved({ ...change, letGoOutside, madeUnasked: ['a'] } as never)
  expect(told(true)).toContain('its hold was taken away outside Drydock: 2 created, 3 deleted')
  expect(told(false)).toContain('which nobody let go (a)')
})

it('what was made of it before anybody let it go is told by name, also once somebody did', () => {
  const accepted = { mode: 'replace', acceptedAt: '2026-11-21T16:00:00.000Z' }
  const change = { letGoOutside: false, letGoBefore: null, machinesList: [], outcome: null, decisions: [accepted] }
  const told = movedUnapproved({ ...change, state: 'done', madeUnasked: ['a', 'b'] } as never)
  expect(told).toMatch(/^2 machines were made of it before anybody let it go \(a, b\): only the update gate held it/)
})

it('how many were made so stands in the heading of what is over, and in its row', () => {
  const outcome = { updatedInPlace: 0, created: 3, deleted: 3, failed: 0 }
  const done = { ...changed({ state: 'done', outcome }), madeUnasked: ['a'] }
  expect(headlineOf(done)).toBe('Done: 3 created, 3 deleted (1 made unapproved).')
  expect(stateOf(done)).toEqual({ words: 'Done, 1 made unapproved', tone: 'plain' })
  expect(stateOf({ ...done, madeUnasked: [] })).toEqual({ words: 'Done', tone: 'good' })
  const over = { outcome: null, ended: 'newer' as const }
  expect(overWords(over)).toBe('nothing moved')
  expect(overWords({ ...over, madeUnasked: ['a'] })).toBe('1 made unapproved')
})

it('says of a machine that was made so, and not touched since, that it was made unapproved', () => {
  const at = { startedAt: null, finishedAt: null, predicted: 'up-to-date', message: null }
  const made = { name: 'cp-4', verdict: 'up-to-date', state: 'ready', progress: { ...at, state: 'done' } }
  const created = { ...made, progress: { ...at, startedAt: '2026-11-21T15:59:29.000Z', state: 'created' } }
  expect(isMadeUnasked(made, ['cp-4'])).toBe(true)
  expect(isMadeUnasked({ ...made, progress: { ...at, state: 'waiting' } }, ['cp-4'])).toBe(true)
  expect(isMadeUnasked({ ...made, name: 'cp-1' }, ['cp-4'])).toBe(false)
  expect(isMadeUnasked(created, ['cp-4'])).toBe(false)
  expect(madeWords(made, true)).toBe('made unapproved')
  expect(madeWords({ ...made, state: 'provisioning' }, false)).toBe('made unapproved, coming up')
  const cells = ['cp-1', 'cp-4'].map((name) => ({ id: name, name, mark: 'up-to-date' as const }))
  expect(withMade({ total: 2, cells, counts: [] }, ['cp-4']).cells).toEqual([
    cells[0],
    { ...cells[1], note: 'made unapproved' },
  ])
})
