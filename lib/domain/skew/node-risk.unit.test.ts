import { describe, expect, it } from 'vitest'
import type { DatedImage } from './evidence'
import { FLOOR_NOW, floorOf } from './floors'
import { nodeRisk, type RiskSet } from './node-risk'

const floor = floorOf('4.22.3')!
const ocp = (version: string, sure: DatedImage['sure'] = 'certain'): DatedImage => ({
  ...{ kind: 'OCPVersion', version, sure, because: `names the boot image of ${version}` },
})
const rhcos = (version: string): DatedImage => ({ ...ocp(version), kind: 'RHCOSVersion' })
const minor = (version: string): DatedImage => ({ ...ocp(version, 'likely'), minorOnly: true })
const beside = (version: string, stands: 'older' | 'same' | 'newer'): DatedImage => ({
  ...{ ...rhcos(version), ofRelease: { stands, release: '4.22.3' } },
})

describe('whether new machines join', () => {
  const set = (name: string, state: string, dated: DatedImage | null): RiskSet => ({ name, state, dated })
  it.each([
    [
      'one dated below',
      'ok',
      [set('a', 'outdated', ocp('4.12.0')), set('b', 'current', ocp('4.22.3'))],
      'likely',
      'a starts machines from an image below 4.13.0',
    ],
    ['RHCOS below', 'not-enforced', [set('a', 'outdated', rhcos('8.6.20230101-0'))], 'likely', 'may never join'],
    [
      'two below',
      'ok',
      [set('a', 'outdated', ocp('4.9.0')), set('b', 'outdated', ocp('4.10.0'))],
      'likely',
      'a and b start',
    ],
    [
      'one undated',
      'ok',
      [set('a', 'unknown', null), set('b', 'current', ocp('4.22.3'))],
      'unknown',
      'the image of a is',
    ],
    [
      'record below, sets fine',
      'out-of-skew',
      [set('b', 'current', ocp('4.22.3'))],
      'possible',
      'no machine set is seen',
    ],
    ['record below, no sets', 'out-of-skew', [], 'possible', 'no machine set tells more'],
    ['no sets', 'ok', [], 'unknown', 'There is no machine set'],
    ['older, but not below', 'ok', [set('a', 'outdated', ocp('4.16.0'))], 'no', 'a starts from an older image'],
    ['excluded, and the release’s very image', 'ok', [set('a', 'excluded', ocp('4.22.3'))], 'no', 'Every machine set'],
    ['excluded, and older', 'ok', [set('a', 'excluded', ocp('4.16.0'))], 'no', 'a starts from an older image'],
    [
      'one’s own, and newer',
      'ok',
      [set('a', 'custom', ocp('4.23.0'))],
      'no',
      'a starts from an image that the operator',
    ],
    // Without a stream nothing tells which image the release wants: one of them may have it.
    [
      'not known to be older',
      'ok',
      [set('a', 'unknown', ocp('4.22.3'))],
      'no',
      'whether a has that of this release is not known',
    ],
    [
      'of an image that nothing wants, and older',
      'ok',
      [set('a', 'unknown', ocp('4.16.0')), set('b', 'current', ocp('4.22.3'))],
      'no',
      'a starts from an older image, but from none below 4.13.0',
    ],
    [
      'one of them not known to be older',
      'ok',
      [set('a', 'unknown', ocp('4.16.0')), set('b', 'unknown', ocp('4.22.3'))],
      'no',
      'whether b has that of this release is not known',
    ],
    [
      'newer than the release’s, which is put back',
      'ok',
      [set('a', 'outdated', beside('9.9.20270101-0', 'newer'))],
      'no',
      'a starts from another image than that of this release, but from none below 4.13.0',
    ],
    [
      'the same RHCOS, of another architecture',
      'ok',
      [set('a', 'outdated', beside('9.8.20260714-0', 'same'))],
      'no',
      'a starts from another image',
    ],
    [
      'not known to be older',
      'ok',
      [set('a', 'outdated', rhcos('9.8.20260714-0')), set('b', 'outdated', minor('4.22.0'))],
      'no',
      'a and b start from another image',
    ],
    ['an older RHCOS', 'ok', [set('a', 'outdated', beside('9.6.20251023-0', 'older'))], 'no', 'from an older image'],
    ['installed with the release', 'ok', [set('a', 'outdated', ocp('4.22.3', 'likely'))], 'no', 'Every machine set'],
    ['all current', 'ok', [set('a', 'current', ocp('4.22.3'))], 'no', 'Every machine set'],
    ['current, of no known release', 'ok', [set('a', 'current', null)], 'no', 'Every machine set'],
  ] as const)('%s', (_, verdict, sets, level, words) => {
    const found = nodeRisk({ verdict, floor, sets, release: '4.22.3' })
    expect(found.level).toBe(level)
    expect(found.sentence).toContain(words)
  })

  it('names the control plane’s set beside the others, and alone', () => {
    const plane = set('the control plane’s set', 'outdated', rhcos('48.84.202208021106-0'))
    const said = (...sets: RiskSet[]) => nodeRisk({ verdict: 'ok', floor, sets, release: '4.22.3' }).sentence
    expect(said(set('a', 'current', ocp('4.22.3')), plane)).toMatch(/^The control plane’s set starts machines from/)
    expect(said(set('a', 'outdated', ocp('4.12.0')), plane)).toMatch(/^a and the control plane’s set start machines/)
    expect(said({ ...plane, dated: null })).toContain('the image of the control plane’s set is:')
  })

  it.each([
    [[{ ...set('a', 'outdated', ocp('4.22.3')), otherArch: 'aarch64' }], 'a starts machines from an image for aarch64'],
    [
      [
        { ...set('a', 'unknown', null), otherArch: 'aarch64' },
        { ...set('b', 'current', ocp('4.22.3')), otherArch: 'x86_64' },
      ],
      'a and b start machines from an image for another architecture',
    ],
  ])('an image for other machines starts none, however new: %#', (sets, words) => {
    const { level, sentence } = nodeRisk({ verdict: 'ok', floor: FLOOR_NOW, sets })
    expect(level).toBe('likely')
    expect(sentence).toContain(words)
  })

  it('that of another region starts none here', () => {
    const sets = [{ ...set('a', 'unknown', ocp('4.22.3')), otherRegion: 'eu-west-1' }]
    expect(nodeRisk({ verdict: 'ok', floor: FLOOR_NOW, sets })).toEqual({
      level: 'likely',
      sentence: 'a starts machines from an image of another region, eu-west-1: no new one can start.',
    })
  })

  it('takes the newest known floor where the release has none', () => {
    const sets = [set('a', 'outdated', ocp('4.12.0'))]
    const { level, sentence } = nodeRisk({ verdict: 'unsupported-release', floor: null, sets })
    expect(level).toBe('possible')
    expect(sentence).toContain('this one has no limit')
    expect(FLOOR_NOW.ocp).toBe('4.13.0')
  })

  it.each([
    [set('a', 'outdated', ocp('4.16.0')), 'unknown', 'a starts machines from an image that may be below the floor'],
    [set('a', 'outdated', ocp('4.12.0')), 'likely', 'below 4.13.0'],
    [set('a', 'custom', ocp('5.4.0')), 'no', 'not below'],
    [set('a', 'outdated', ocp('5.3.1')), 'no', 'Every machine set'],
    [set('a', 'current', ocp('5.3.1')), 'no', 'Every machine set'],
  ] as const)('by a floor that nobody knows no older image is good: %#', (one, level, words) => {
    const found = nodeRisk({ verdict: 'unknown', floor: floorOf('5.3.1'), sets: [one], release: '5.3.1' })
    expect(found.level).toBe(level)
    expect(found.sentence).toContain(words)
  })
})
