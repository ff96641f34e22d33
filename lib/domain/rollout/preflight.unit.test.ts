import { expect, test } from 'vitest'
import { aheadWords, endlessNotes, preflightNotes, type Plane } from './preflight'

const plane = (version: string | null, changing: Plane['changing'] = false, topology = false): Plane => ({
  ...{ name: 'cp', version, changing, topology },
})

test.each<[string, string | null, Plane | null, RegExp[]]>([
  ['no control plane is known', 'v1.34.1', null, []],
  ['the same minor version', 'v1.34.2', plane('v1.34.1'), []],
  ['a version that is none', 'latest', plane('v1.34.1'), []],
  ['newer than the control plane', 'v1.36.0', plane('v1.33.7'), [/would be v1\.36\.0, .* is to run v1\.33\.7/]],
  ['older', 'v1.33.0', plane('v1.34.1'), [/would be v1\.33\.0/]],
  ['of a ClusterClass, and the same version', 'v1.34.1', plane('v1.34.1', false, true), []],
  ['of a ClusterClass, and one patch older', 'v1.34.0', plane('v1.34.1', false, true), [/made from a ClusterClass/]],
  ['of a ClusterClass, and another minor version', 'v1.33.0', plane('v1.34.1', false, true), [/would be v1\.33\.0/]],
  [
    'its own change is not over',
    'v1.34.1',
    plane('v1.34.1', 'open'),
    [/control plane cp has a version change of its own that is not over/],
  ],
  ['its own change is planned', 'v1.34.1', plane('v1.34.1', 'planned'), [/cp is to change its version, too/]],
])('%s', (_, version, of, notes) => {
  const found = preflightNotes(version, of)
  expect(found).toHaveLength(notes.length)
  for (const [i, note] of notes.entries()) expect(found[i]).toMatch(note)
  expect(found.filter((note) => note.endsWith('Times are counted from when that is over.'))).toHaveLength(
    Math.min(1, notes.length),
  )
})

test.each<[string, string, string | null, boolean]>([
  ['a newer minor version', 'v1.34.2', 'v1.33.6', true],
  ['by more digits', 'v1.10.0', 'v1.9.9', true],
  ['a newer patch release', 'v1.34.2', 'v1.34.0', false],
  ['an older minor version', 'v1.33.2', 'v1.34.0', false],
  ['a control plane of which nothing is known', 'v1.34.2', null, false],
])('workers ahead of their control plane: %s', (_, version, control, is) =>
  expect(aheadWords(version, { name: 'cp', version: control }) !== null).toBe(is),
)

test('certificates that are due as soon as they are made are said to be replaced without end', () => {
  expect(endlessNotes(400)).toEqual([expect.stringContaining('again and again')])
  for (const days of [364, 7, undefined, null]) expect(endlessNotes(days)).toEqual([])
})
