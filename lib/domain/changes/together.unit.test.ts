import { expect, test } from 'vitest'
import { shownTogether } from './together'
import type { FieldChange } from './types'

const version = (current: string): FieldChange => ({ object: 'machine', path: 'version', current, desired: 'v1.34.4' })
const file: FieldChange = { object: 'bootstrap', path: 'files["/x"]', desired: 'x', secret: true, digest: 'd' }

test('each change once, with whose it is where not all have it, and no digests', () => {
  const [two, three] = [version('v1.34.2'), version('v1.34.3')]
  const { digest: _, ...shown } = file
  expect(
    shownTogether([
      { from: 'a', changes: [two, file] },
      { from: 'b', changes: [three, { ...file, digest: 'e' }] },
      { from: 'c', changes: [three, file] },
    ]),
  ).toEqual([{ ...two, of: ['a'] }, shown, { ...three, of: ['b', 'c'] }])
  expect(shownTogether([{ from: 'a', changes: [two] }])).toEqual([two])
})

test('who covers it is said where anybody was asked', () => {
  const covered = { ...version('v1.34.2'), coveredBy: 'kubelet' }
  const pairs = [
    { from: 'a', changes: [version('v1.34.2')] },
    { from: 'b', changes: [covered] },
  ]
  expect(shownTogether(pairs)).toEqual([covered])
  expect(shownTogether(pairs.toReversed())).toEqual([covered])
})
