import { expect, test } from 'vitest'
import { diagnose } from '.'
import { factsLike } from './testing'

test.each([
  ['AWS', 'its spec names none', /^Its spec names no image of its own/],
  ['BareMetal', 'its spec names none', /^Its spec names no image of its own/],
  ['OpenStack', 'Drydock does not read which image it starts from on OpenStack', /^Which image its spec names/],
  ['Nutanix', 'Drydock does not read which image it starts from on Nutanix', /^Which image its spec names/],
  [null, 'Drydock does not read which image it starts from', /^Which image its spec names/],
])('that a machine names no image is said only where that is read: %s', (platform, because, evidence) => {
  const found = diagnose(factsLike({ platform, image: null }), Date.parse('2026-11-21T08:00:00Z'))
  expect(found).toMatchObject({ certainty: 'unknown', because })
  expect(found.evidence.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(evidence))
})
