import { describe, expect, it } from 'vitest'
import { domainForNew, nextOf } from './failure-domains'

/**
 * What Cluster API 1.14 itself answered, asked sixty times: the domains listed; machines m1, m2, … by domain (- for none),
 * age and c (candidate), u (up to date), o (outdated, no candidate), x (being deleted); which of them go next; where a new
 * one is put. Of several, chance decides there.
 */
const ANSWERED: [domains: string, machines: string, next: string, place: string][] = [
  ['ab', 'b2o -3cx a3u b3c a4c', '2', 'b'],
  ['ab', 'a1c a4c a1c a4c', '1', 'b'],
  ['abc', '-4u a3u b1cx c1c b4u c3o', '34', 'c'],
  ['ab', 'a2c a4o b3c a3cx b1c', '1', 'b'],
  ['abc', 'b1c a2c c2ux -4u -4ux c2c', '6', 'ab'],
  ['abc', 'b1u c1u d3ux c4c b3c', '45', 'a'],
  ['ab', 'c2c -2c a3c -2o', '1', 'b'],
  ['ab', 'a2u b2o a1u a2c b2o a3u', '4', 'b'],
  ['ab', 'a4cx a4c a2c b1c -1u b2c', '3', 'b'],
  ['ab', 'b4u b2c b3c b1c b4ux', '4', 'a'],
  ['abc', '-2u a1u a1c a3o a1u a2u', '3', 'bc'],
  ['ab', 'a2c b2u a1c b2u', '3', 'a'],
  ['ab', '-1u b2c a4c b1c b3u', '4', 'a'],
  ['abc', 'a3c c3u c1u c4u c3c', '5', 'b'],
  ['ab', 'b1c a4u a2o b2ox a1c -1u', '5', 'b'],
  ['ab', 'b3c b1c a1c b3o', '2', 'a'],
  ['ab', '-4c -3u -1c a4c -2c a4o', '3', 'b'],
  ['ab', 'b4c a4c b3c b3o -4c a1c', '5', 'a'],
  ['abc', 'a4u b3c c4o b3c', '2', 'c'],
  ['ab', 'a3c b2u b1u b2c', '4', 'a'],
  ['abc', 'c3u a2c c2c a2u', '23', 'b'],
  ['abc', 'b1u c2u -4u c2u -2c', '5', 'a'],
  ['ab', 'a2u -4c b4u -2u a2u', '2', 'b'],
  ['ab', 'a1c a4u b2u b4u a2u', '1', 'b'],
  ['abc', 'c2u b1u -2u c2c', '4', 'a'],
  ['ab', '-1u b4c b2c b3u a1u', '3', 'a'],
  ['abc', 'c1c b4o a2u b4c d1c b2u', '5', 'c'],
  ['abc', 'b3c a1c a2c c2c a3u d4u', '2', 'bc'],
  ['abc', 'c2c b1o a2cx b4c c4c', '1', 'a'],
  ['ab', 'a2c a1u -4u a3c a1c', '5', 'b'],
  ['abc', 'a4c b3c a1c d3c c2c c4c', '4', 'b'],
  ['abc', 'a3u c3c c2u c3c a2u', '2', 'b'],
  ['abc', 'a3c a4c b3u c3c a1c', '5', 'c'],
  ['ab', 'b3c b2c a2ux -4c', '4', 'a'],
  ['abc', 'c2u c2c c4u d4u', '2', 'ab'],
  ['ab', 'a1c b4u a2c a2c a2o c3u', '1', 'a'],
  ['ab', 'b3c a1c b3c b1cx b1u', '4', 'a'],
  ['abc', 'c3cx c2c a4c d2u b3u', '2', 'a'],
  ['ab', 'a4c b2c a4c b2u', '1', 'a'],
  ['abc', 'c3o c1u c3o c3c c1c c1c', '5', 'ab'],
]

const read = (text: string) =>
  text.split(' ').map((word, i) => ({
    name: `m${i + 1}`,
    createdAt: Number(word[1]),
    ...(word.startsWith('-') ? {} : { failureDomain: word[0]! }),
    upToDate: word.includes('u'),
    candidate: word.includes('c', 2),
    deleting: word.includes('x'),
  }))

describe('failure domains of a control plane', () => {
  it.each(ANSWERED)('%s: %s', (domains, text, next, place) => {
    const machines = read(text)
    const candidates = machines.filter(({ candidate }) => candidate)
    const chosen = nextOf(candidates, machines, [...domains])!
    const possible = machines.filter(({ name }) => next.includes(name.slice(1)))
    expect(possible).toContain(chosen)
    // Where chance decides, we say the oldest.
    expect(chosen.createdAt).toBe(Math.min(...possible.map(({ createdAt }) => createdAt)))
    expect([...place]).toContain(domainForNew(machines, [...domains]))
  })

  it('where the Cluster lists none, the oldest goes, and a new one is put nowhere', () => {
    const machines = read('a2c a3c b1c')
    expect(nextOf(machines, machines, [])?.name).toBe('m3')
    expect(domainForNew(machines, [])).toBeUndefined()
  })

  it('where they are not known, those of its machines are taken', () => {
    const machines = read('a2c a3c b1c')
    expect(nextOf(machines, machines)?.name).toBe('m1')
    expect(domainForNew(machines)).toBe('b')
  })
})
