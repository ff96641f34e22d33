import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quorumOf, spareDuring, spareOf } from './quorum'

describe('quorum', () => {
  test.each([
    // members, healthy, now, in place, replaced with a new one first, with the old one first
    [1, 1, 0, -1, 0, 0],
    [2, 2, 0, -1, 0, 0],
    [3, 3, 1, 0, 0, 0],
    [3, 2, 0, -1, -1, -1],
    [3, 1, -1, -2, -2, -2],
    [4, 4, 1, 0, 1, 1],
    [5, 5, 2, 1, 1, 1],
    [5, 4, 1, 0, 0, 0],
    [7, 7, 3, 2, 2, 2],
  ])('%i members, %i healthy', (members, healthy, now, inPlace, newFirst, oldFirst) => {
    const etcd = { members, healthy }
    expect(spareOf(etcd)).toBe(now)
    expect(spareDuring(etcd, 'in-place', 1)).toBe(inPlace)
    expect(spareDuring(etcd, 'replace', 1)).toBe(newFirst)
    // Of one or two members, one goes first only where Cluster API would not let it be so (three replicas at least).
    if (members > 2) expect(spareDuring(etcd, 'replace', 0)).toBe(oldFirst)
  })

  test('any two quorums have a member in common, and no smaller number of them would', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), (n) => {
        expect(2 * quorumOf(n)).toBeGreaterThan(n)
        expect(2 * (quorumOf(n) - 1)).toBeLessThanOrEqual(n)
      }),
    )
  })

  test('nothing that is done leaves more to spare than in place with one less, and an ill member never helps', () => {
    const etcd = fc
      .integer({ min: 1, max: 15 })
      .chain((members) => fc.integer({ min: 0, max: members }).map((healthy) => ({ members, healthy })))
    fc.assert(
      fc.property(
        etcd,
        fc.constantFrom('in-place' as const, 'replace' as const),
        fc.constantFrom(0 as const, 1 as const),
        (e, way, surge) => {
          const { healthy } = e
          expect(spareDuring(e, 'in-place', surge)).toBe(spareOf(e) - 1)
          if (healthy > 0)
            expect(spareDuring({ ...e, healthy: healthy - 1 }, way, surge)).toBe(spareDuring(e, way, surge) - 1)
        },
      ),
    )
  })
})
