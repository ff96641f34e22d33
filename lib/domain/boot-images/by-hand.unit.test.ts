import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json'
import { byHand } from './by-hand'
import { STREAM } from './testing/stream'

/** All that a path leads to; what stands in angle brackets is to be chosen. */
function found(path: string): Json[] {
  const keys = [...path.matchAll(/\["([^"]+)"\]|([^.[\]]+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
  return keys.reduce<Json[]>(
    (values, key) =>
      values.flatMap((value) => {
        const object = (value ?? {}) as JsonObject
        return /^<.+>$/.test(key) ? Object.values(object) : Object.hasOwn(object, key) ? [object[key]!] : []
      }),
    [STREAM],
  )
}

const NAMED = ['AWS', 'GCP', 'Azure', 'VSphere', 'Azure Stack Hub', 'OpenStack', 'Nutanix', 'IBMCloud', 'PowerVS', 'KubeVirt', 'None', 'External'] // prettier-ignore

describe('where the image of a release is found', () => {
  test.each(NAMED)('on %s', (platform) => {
    const { artifact, take, steps } = byHand(platform)!
    expect(artifact).toMatch(/^architectures\./)
    expect(steps[0]).toContain(artifact)
    const images = found(artifact!)
    expect(images.length).toBeGreaterThan(0)
    for (const image of images)
      if (take.length === 0) expect(image).toEqual(expect.any(String))
      else for (const field of take) expect(image).toHaveProperty([field], expect.any(String))
    for (const field of take) expect(steps[0]).toContain(field)
  })

  test('no other path is named, and none on bare metal', () => {
    for (const platform of [...NAMED, 'BareMetal', 'oVirt'])
      for (const step of byHand(platform)!.steps)
        for (const [path] of step.matchAll(/\b(?:artifacts|images|rhel-coreos-extensions)\.[\w.<>-]+/g))
          expect(byHand(platform)!.artifact).toContain(path)
    expect(byHand('BareMetal')!.artifact).toBeNull()
  })

  test('on Azure also of a plan that is paid for', () => {
    const { steps } = byHand('Azure')!
    for (const plan of Object.keys(
      (STREAM.architectures as Record<string, Record<string, Record<string, Record<string, JsonObject>>>>).x86_64![
        'rhel-coreos-extensions'
      ]!.marketplace!.azure!,
    ))
      expect(steps.join(' ')).toContain(plan.replace(/-emea$/, ''))
    expect(steps.join(' ')).toMatch(/redhat-limited.*-emea/)
    expect(steps.join(' ')).toMatch(/MarketplaceNoPlan.*MarketplaceWithPlan/)
  })
})

test.each([...NAMED, 'BareMetal', 'oVirt'])(
  'on %s a version is to be acknowledged only where that can be done',
  (platform) => {
    const [acting, not] = [byHand(platform)!, byHand(platform, false)!]
    expect(acting.steps.at(-1)).toMatch(/\S, then acknowledge the version here\.$/)
    expect(not.steps.join(' ')).not.toContain('acknowledge')
    expect(not.steps).toHaveLength(acting.steps.length)
    expect(not.steps.at(-1)).toMatch(/\w\.$/)
  },
)
