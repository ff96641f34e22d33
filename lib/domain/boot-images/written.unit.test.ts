import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json'
import { HotLoops } from './hot-loop'
import { equal, merged, mergePatch } from './merge'
import { bestOfProduct, compareReleases } from './platforms/marketplace'
import { AWS_SPEC, AZURE_SPEC, GCP_SPEC, VSPHERE_SPEC } from './provider-specs'
import { MalformedError, written } from './written'

const SHAPES = { AWS_SPEC, GCP_SPEC, AZURE_SPEC, VSPHERE_SPEC }
const value: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('ami', 'image', 'disks', 'workspace', 'tags', 'zone', 'template', 'x', 'userDataSecret', 'publicIp'),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>

describe('how the operator writes a provider spec', () => {
  it.each(Object.entries(SHAPES))('%s: once written, it stays as it is', (_, shape) => {
    fc.assert(
      fc.property(value, (given) => {
        try {
          const once = written(shape, given)
          expect(written(shape, once)).toEqual(once)
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedError)
        }
      }),
    )
  })

  it('drops what it does not know and what is empty, and writes what it always writes', () => {
    const spec = written(AWS_SPEC, { ami: { id: '' }, keyName: '', marketType: '', future: 1, publicIp: false })
    expect(spec).toMatchObject({ ami: { id: '' }, keyName: '', publicIp: false, deviceIndex: 0, metadata: {} })
    expect(spec).not.toHaveProperty('future')
    expect(spec).not.toHaveProperty('marketType')
  })

  it('says what it cannot read', () => {
    expect(() => written(GCP_SPEC, { disks: [{ sizeGb: 1.5 }] })).toThrow('disks[0].sizeGb should be a whole number')
    expect(() => written(GCP_SPEC, { labels: { a: 1 } })).toThrow('labels.a should be text')
  })
})

describe('a merge patch', () => {
  const json = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<JsonObject>
  const clean = (o: JsonObject): JsonObject => merged({}, o)
  it('leads from one object to the other', () => {
    fc.assert(
      fc.property(json.map(clean), json.map(clean), (a, b) => {
        const patch = mergePatch(a, b)
        const noLists = !JSON.stringify([a, b]).includes('[')
        if (noLists) expect(merged(a, patch)).toEqual(b)
        expect(mergePatch(b, b)).toEqual({})
        expect(equal(a, structuredClone(a))).toBe(true)
      }),
    )
  })
})

describe('somebody who keeps putting an image back', () => {
  it('is stopped after three writes of the same value in a row', () => {
    const loops = new HotLoops()
    for (let i = 0; i < 3; i++) {
      expect(loops.refuses('a', { id: 1 })).toBe(false)
      loops.wrote('a', { id: 1 })
    }
    expect([loops.refuses('a', { id: 1 }), loops.refuses('a', { id: 2 }), loops.refuses('b', { id: 1 })]).toEqual([
      true,
      false,
      false,
    ])
    loops.clear()
    expect(loops.refuses('a', { id: 1 })).toBe(false)
  })
})

describe('Marketplace images', () => {
  const release = fc.tuple(fc.nat(11), fc.nat(12), fc.constantFrom('20250101', '202511191518'), fc.nat(2))
  const releases = fc.array(release.map(([a, b, date, build]) => `${a}.${b}.${date}-${build}`))
  it('the best is never above the release, and none of the others is better', () => {
    fc.assert(
      fc.property(
        releases,
        releases.filter((r) => r.length > 0),
        (offered, [wanted]) => {
          const amis = offered.map((r, i) => ({
            id: `ami-${i}`,
            owner: '',
            name: '',
            description: `x ${r} y`,
            created: '',
          }))
          const best = bestOfProduct(amis, wanted!)
          const fits = offered.filter((r) => compareReleases(r, wanted!) <= 0)
          expect(best === undefined).toBe(fits.length === 0)
          if (best) expect(fits.every((r) => compareReleases(r, best.release) <= 0)).toBe(true)
        },
      ),
    )
  })
})
