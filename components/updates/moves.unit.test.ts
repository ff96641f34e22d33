import { describe, expect, it } from 'vitest'
import type { Outlook } from '@/lib/domain/changes/types'
import { buttonCount, changesNone, comes, movesNothing, movesOf } from './moves'

const outlook = (inPlace: Partial<Outlook['replace']> | null, old: number): Outlook => ({
  inPlace: inPlace && { counts: {}, created: 0, deleted: 0, headline: '', ...inPlace },
  replace: { counts: { replace: old }, created: old, deleted: old, headline: '' },
  uncovered: [],
})
const machines = (verdict: string, ...names: string[]) => names.map((name) => ({ name, verdict }))
const words = (
  groupKind: string,
  of: Outlook,
  mode: 'in-place' | 'replace',
  known: { name: string; verdict: string }[],
) => movesOf({ groupKind, outlook: of }, mode, known).map(({ what, names }) => [what, names])

it('new machines come by what is created, in the way that is looked at', () => {
  const of = outlook({ counts: { 'in-place': 2 } }, 2)
  expect(comes(of, 'in-place')).toBe(false)
  expect(comes(of, 'replace')).toBe(true)
  expect(comes(outlook(null, 2), 'in-place')).toBe(false)
})

describe('which machines move, and how', () => {
  it('all in place, by name', () => {
    const all = outlook({ counts: { 'in-place': 2 } }, 2)
    expect(words('MachineDeployment', all, 'in-place', machines('in-place', 'a', 'b'))).toEqual([
      ['in-place', ['a', 'b']],
    ])
    expect(buttonCount(all.inPlace!, 'in-place')).toBe('2')
    // Of a pool, one has begun: it goes on whatever is decided.
    expect(buttonCount(all.inPlace!, 'in-place', 1)).toBe('1')
  })

  it('of a pool, nodes that took it up before it was held are not said to be untouched', () => {
    const of = { groupKind: 'MachineConfigPool', outlook: outlook({ counts: { 'in-place': 2, 'up-to-date': 2 } }, 0) }
    const took = { name: 'c', verdict: null, progress: { state: 'done', startedAt: '2026-01-01T00:00:00Z' } }
    const told = movesOf(of, 'in-place', [
      took,
      { name: 'd', verdict: null, progress: { state: 'done', startedAt: null } },
    ])
    const said = told.map(({ words }) => words)
    expect(said.find((words) => words.includes('taken it up'))).toBe('1 machine has taken it up already.')
    expect(said.find((words) => words.includes('not touched'))).toMatch(/^1 machine is up to date/)
  })

  it('with a spare: one new, the rest in place, one deleted, and nobody is named who is not certain', () => {
    const spare = outlook({ counts: { 'in-place-with-spare': 2, replace: 1 }, created: 1, deleted: 1 }, 3)
    const moves = movesOf(
      { groupKind: 'KubeadmControlPlane', outlook: spare },
      'in-place',
      machines('in-place-with-spare', 'a', 'b', 'c'),
    )
    expect(moves.map(({ what, names }) => [what, names])).toEqual([
      ['new', []],
      ['in-place', []],
      ['replace', []],
    ])
    expect(moves[0]!.words).toContain('1 machine is created before')
    expect(moves[1]!.words).toContain('2 machines are updated where they stand')
    expect(moves[2]!.words).toBe(
      '1 of the 3 machines that are there now is deleted at the end, when the others are done. Cluster API decides which one when it comes to it: each time it takes the oldest in the failure domain with the most that are outdated, and the one left last goes.',
    )
    expect(buttonCount(spare.inPlace!, 'in-place')).toBe('2 in place, 1 replaced')
  })

  it('with a spare, and others that have to be replaced besides: each number by itself', () => {
    const counts = { 'in-place-with-spare': 2, replace: 4 }
    const of = outlook({ counts, created: 4, deleted: 4, spare: 1 }, 6)
    const known = [...machines('in-place-with-spare', 'a', 'b', 'c'), ...machines('replace', 'd', 'e', 'f')]
    const moves = movesOf({ groupKind: 'MachineDeployment', outlook: of }, 'in-place', known)
    expect(moves.map(({ words, names }) => [words.slice(0, 36), names])).toEqual([
      ['1 machine is created before any othe', []],
      ['2 machines are updated where they st', []],
      ['1 of the 3 machines that are there n', []],
      ['3 machines are replaced all the same', ['d', 'e', 'f']],
    ])
    expect(buttonCount(of.inPlace!, 'in-place')).toBe('2 in place, 4 replaced')
  })

  it('where none is replaced, because more are there than are wanted, only those that go are said', () => {
    const of = { ...outlook(null, 0), replace: { counts: {}, created: 0, deleted: 5, removed: 5, headline: '' } }
    expect(movesOf({ groupKind: 'MachineDeployment', outlook: of }, 'replace', [])).toEqual([
      { what: 'gone', words: '5 machines are deleted: more are there than are wanted.', names: [] },
    ])
    expect(buttonCount(of.replace, 'replace')).toBe('5 deleted')
  })

  it('a single machine with a spare is not updated in place at all: it is replaced, and says so', () => {
    const one = outlook({ counts: { replace: 1 }, created: 1, deleted: 1 }, 1)
    const known = machines('in-place-with-spare', 'a')
    expect(words('MachineDeployment', one, 'in-place', known)).toEqual([
      ['new', []],
      ['replace', ['a']],
    ])
    expect(buttonCount(one.inPlace!, 'in-place')).toBe('0 in place, 1 replaced')
  })

  it('what is replaced whatever an updater says is named', () => {
    const mixed = outlook({ counts: { 'in-place': 1, replace: 1, 'up-to-date': 4 }, created: 1, deleted: 1 }, 2)
    const known = [...machines('in-place', 'a'), ...machines('replace', 'b'), ...machines('up-to-date', 'c')]
    expect(words('MachineDeployment', mixed, 'in-place', known)).toEqual([
      ['in-place', ['a']],
      ['replace', ['b']],
      ['stay', []],
    ])
  })

  it('replacing names those that go, but not a part of them', () => {
    const three = outlook(null, 3)
    const known = machines('replace', 'a', 'b', 'c')
    expect(words('MachineDeployment', three, 'replace', known)[1]).toEqual(['replace', ['a', 'b', 'c']])
    expect(words('MachineDeployment', three, 'replace', known.slice(0, 2))[1]).toEqual(['replace', []])
    expect(movesOf({ groupKind: 'MachineDeployment', outlook: three }, 'in-place', known)).toEqual([])
  })
})

it('of those that are what they should be, the ones that failed or are still at it are not up to date', () => {
  const of = outlook({ counts: { 'in-place': 8, 'up-to-date': 5 } }, 8)
  const known = [
    { name: 'a', verdict: 'up-to-date', state: 'failed', progress: { state: 'failed' } },
    { name: 'b', verdict: 'up-to-date', state: 'not-ready', progress: { state: 'done', late: 'not Ready in time' } },
    { name: 'c', verdict: 'up-to-date', state: 'updating', progress: { state: 'updating' } },
    { name: 'd', verdict: 'up-to-date', state: 'ready', progress: { state: 'done', late: null } },
    { name: 'e', verdict: 'up-to-date', state: 'ready', progress: null },
    { name: 'f', verdict: 'in-place', state: 'failed', progress: { state: 'failed' } },
  ]
  const moves = movesOf({ groupKind: 'MachineDeployment', outlook: of }, 'in-place', known)
  expect(moves.slice(1).map(({ what, words, names }) => [what, words, names])).toEqual([
    ['failed', '2 machines have failed already: they are none of these.', ['a', 'b']],
    ['in-place', '1 machine is being updated already, and goes on to its end.', ['c']],
    ['stay', '2 machines are up to date already and not touched.', []],
  ])
})

it('what failed and was accepted is not up to date, but where it is Ready again, or is updated anew', () => {
  const of = outlook({ counts: { 'in-place': 8, 'up-to-date': 4 } }, 8)
  const progress = { state: 'created', late: null, failedFor: 'not Ready in time' }
  const known = [
    { name: 'a', verdict: 'up-to-date', state: 'provisioning', progress },
    { name: 'b', verdict: 'up-to-date', state: 'not-ready', progress: { ...progress, state: 'done' } },
    { name: 'c', verdict: 'up-to-date', state: 'updating', progress: { ...progress, state: 'updating' } },
    { name: 'd', verdict: 'up-to-date', state: 'ready', progress },
  ]
  const moves = movesOf({ groupKind: 'MachineDeployment', outlook: of }, 'in-place', known)
  expect(moves.slice(1).map(({ what, names }) => [what, names])).toEqual([
    ['failed', ['a', 'b']],
    ['in-place', ['c']],
    ['stay', []],
  ])
})

it('what is scaled with it stands apart from what is replaced', () => {
  const more = outlook({ counts: { 'in-place': 6 }, created: 1, deleted: 0, added: 1 }, 6)
  expect(movesOf({ groupKind: 'MachineDeployment', outlook: more }, 'in-place', []).map(({ what }) => what)).toEqual([
    ...['in-place', 'new'],
  ])
  expect(buttonCount(more.inPlace!, 'in-place')).toBe('6 in place, 1 created')
  expect(changesNone(more)).toBe(false)
  const fewer = outlook({ counts: { 'in-place': 6 }, created: 0, deleted: 2, removed: 2 }, 6)
  expect(buttonCount(fewer.inPlace!, 'in-place')).toBe('6 in place, 2 deleted')
  expect(movesOf({ groupKind: 'MachineDeployment', outlook: fewer }, 'in-place', []).at(-1)!.words).toContain(
    '2 machines are deleted besides',
  )
})

it('held in the middle, with its spare there, an old one goes for that: none is said to come, and nobody scaled it down', () => {
  const counts = { 'in-place-with-spare': 3, 'up-to-date': 1 }
  const midway = outlook({ counts, created: 0, deleted: 1, removed: 1, forSpares: 1 }, 0)
  const replace = { counts: { replace: 3, 'up-to-date': 1 }, created: 3, deleted: 4, removed: 1, forSpares: 1 }
  const change = { groupKind: 'MachineDeployment', outlook: { ...midway, replace: { ...replace, headline: '' } } }
  const known = [...machines('in-place-with-spare', 'a', 'b', 'c', 'd'), ...machines('up-to-date', 'n')]
  expect(movesOf(change, 'in-place', known).map(({ what, words, names }) => [what, words, names])).toEqual([
    ['in-place', '3 machines are updated where they stand: same machine, same node, same name.', []],
    [
      'gone',
      '1 old machine is deleted besides, for the spare that is there already. Cluster API decides which one when it comes to it, by the deletion order of the deployment.',
      [],
    ],
    ['stay', '1 machine is up to date already and not touched.', []],
  ])
  expect(buttonCount(midway.inPlace!, 'in-place')).toBe('3 in place, 1 deleted')
  const replacing = movesOf(change, 'replace', known).map(({ words }) => words)
  expect(replacing).toContain('1 old machine is deleted besides, for the spare that is there already.')
  // Of what is scaled down besides it is said apart.
  const fewer = { ...midway.inPlace!, deleted: 3, removed: 3, forSpares: 2 }
  const gone = movesOf({ ...change, outlook: { ...midway, inPlace: fewer } }, 'in-place', known)
  expect(gone.filter(({ what }) => what === 'gone').map(({ words }) => words)).toEqual([
    '2 old machines are deleted besides, for the 2 spares that are there already.',
    '1 machine is deleted besides: more are there than are wanted.',
  ])
})

it('with the strategy OnDelete nothing is said to happen that approving does not do', () => {
  const onDelete = outlook(null, 2)
  Object.assign(onDelete.replace, { onDelete: true })
  const known = ['a', 'b'].map((name) => ({ name, verdict: 'replace' }))
  const moves = movesOf({ groupKind: 'MachineDeployment', outlook: onDelete }, 'replace', known)
  expect(moves).toMatchObject([{ what: 'replace', names: ['a', 'b'] }, { what: 'new' }])
  expect(moves[0]!.words).toBe('2 machines stay as they are until somebody deletes them: nothing moves by itself.')
  expect(moves[1]!.words).toContain('one fewer is available')
  expect(buttonCount(onDelete.replace, 'replace')).toBe('2, each when it is deleted')
})

it('a group that only grows or shrinks says so in its button, whichever way', () => {
  const grown = { counts: { 'up-to-date': 3 }, created: 2, deleted: 0, added: 2, headline: '' }
  const shrunk = { counts: { 'up-to-date': 1 }, created: 0, deleted: 1, removed: 1, headline: '' }
  for (const [one, words] of [
    [grown, '2 created'],
    [shrunk, '1 deleted'],
  ] as const) {
    const of = { inPlace: one, replace: one, uncovered: [] }
    expect([buttonCount(one, 'in-place'), buttonCount(one, 'replace')]).toEqual([words, words])
    expect([changesNone(of), movesNothing(of)]).toEqual([true, false])
    expect(changesNone({ ...of, unknown: one })).toBe(false)
    expect(changesNone({ ...of, blocked: 'no' })).toBe(false)
  }
  const replaced = { counts: {}, created: 6, deleted: 5, added: 1, headline: '' }
  expect(buttonCount(replaced, 'replace')).toBe('5 replaced, 1 created')
})

it('what can only be taken up in place changes machines, though it replaces none', () => {
  const pool: Outlook = { ...outlook({ counts: { 'in-place': 35 } }, 0), only: 'in-place' }
  expect([changesNone(pool), movesNothing(pool)]).toEqual([false, false])
  expect(buttonCount(pool.inPlace!, 'in-place')).toBe('35')
  expect(changesNone({ ...pool, inPlace: { ...pool.inPlace!, counts: { 'up-to-date': 35 } } })).toBe(true)
})

it('one that was chosen when its group was held is neither among those that are to be chosen, nor up to date', () => {
  const of = outlook({ counts: { 'in-place': 2, 'up-to-date': 2 } }, 2)
  const known = [
    { name: 'a', verdict: 'in-place', state: 'updating', progress: { state: 'updating' }, outOfService: true },
    { name: 'b', verdict: 'up-to-date', state: 'ready', progress: { state: 'done' } },
    { name: 'c', verdict: 'in-place', state: 'ready', progress: null },
    { name: 'd', verdict: 'in-place', state: 'ready', progress: null },
  ]
  const moves = movesOf({ groupKind: 'MachineDeployment', outlook: of }, 'in-place', known)
  expect(moves[0]).toMatchObject({ what: 'in-place', names: ['c', 'd'] })
  expect(moves.slice(1).map(({ what, words, names }) => [what, words, names])).toEqual([
    ['in-place', '1 machine is out of service already, and is updated with it.', ['a']],
    ['stay', '1 machine is up to date already and not touched.', []],
  ])
})
