import { expect, test } from 'vitest'
import { diagnose } from '.'
import { factsLike, mates } from './testing'
import type { Mates } from './types'

test.each([
  ['AWS', 'its spec names none by its id (ami.id)', /^Its spec names no image by its id \(ami\.id\): by filters/],
  ['BareMetal', 'its spec names none', /^Its spec names no image of its own/],
  ['OpenStack', 'Drydock does not read which image it starts from on OpenStack', /^Which image its spec names/],
  ['Nutanix', 'Drydock does not read which image it starts from on Nutanix', /^Which image its spec names/],
  [null, 'Drydock does not read which image it starts from', /^Which image its spec names/],
])('that a machine names no image is said only where that is read: %s', (platform, because, evidence) => {
  const found = diagnose(factsLike({ platform, image: null }), Date.parse('2026-11-21T08:00:00Z'))
  expect(found).toMatchObject({ certainty: 'unknown', because })
  expect(found.evidence.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(evidence))
})

test('of one that filters chose on AWS its instance tells which it is', () => {
  const { wayOut } = diagnose(factsLike({ image: null }), Date.parse('2026-11-21T08:00:00Z'))
  expect(wayOut).toContainEqual({
    sentence: expect.stringMatching(/^See which image its instance was made from/) as string,
    command:
      "aws ec2 describe-instances --query 'Reservations[].Instances[].ImageId' --output text --instance-ids i-1 --region us-east-1",
  })
  const named = diagnose(factsLike({}), Date.parse('2026-11-21T08:00:00Z'))
  const other = diagnose(factsLike({ platform: 'OpenStack', image: null }), Date.parse('2026-11-21T08:00:00Z'))
  for (const one of [named, other]) expect(JSON.stringify(one.wayOut)).not.toContain('describe-instances')
})

// What is counted by image holds nothing of one that names none: not itself, either.
test.each<[string, Partial<Mates>, string | null]>([
  ['none but itself', { stuck: 1 }, null],
  ['one more', { stuck: 2 }, 'One other machine does not join either: they may share a cause.'],
  ['some join', { stuck: 1, joined: 2 }, '2 other machines joined since the cluster runs 4.22.4.'],
])('a machine whose image nobody knows is none of the others: %s', (_, all, said) => {
  const facts = factsLike({ image: null, sameImage: mates({ stuck: 0 }), all: { joined: 0, stuck: 1, ...all } })
  const found = diagnose(facts, Date.parse('2026-11-21T08:00:00Z')).evidence.map(({ sentence }) => sentence)
  expect(found.filter((one) => /other machines?|another image/.test(one))).toEqual(said ? [said] : [])
})
