import { describe, expect, it } from 'vitest'
import { skewEvidence } from './evidence'

describe('what the operator recorded in Automatic', () => {
  const SETS = [{ name: 'a', replicas: 1, dated: null }]
  const of = (
    version: string,
    pass: { skipped: number; degraded: number } | null,
    installed = '4.12.7',
    sets: typeof SETS = SETS,
  ) =>
    skewEvidence({
      ...{ mode: 'Automatic', recorded: { ocpVersion: version }, acknowledged: false, sets, pass },
      ...{ history: [{ state: 'Completed', version: installed }], streamVersion: '4.22.4' },
    }).items[0]!
  const clean = { skipped: 0, degraded: 0 }
  it.each([
    ['after a clean pass', '4.22.4', clean, undefined, 'certain', 'The operator recorded 4.22.4.'],
    ['by a pass before one that fails', '4.22.3', { ...clean, degraded: 1 }, undefined, 'certain', 'recorded 4.22.3.'],
    ['with a set skipped', '4.12.7', { ...clean, skipped: 1 }, undefined, 'at-least', 'as it skips a machine set.'],
    ['with some skipped', '4.12.7', { ...clean, skipped: 2 }, undefined, 'at-least', 'as it skips 2 machine sets.'],
    ['with one failed and none before', '4.12.7', { ...clean, degraded: 1 }, undefined, 'at-least', 'come through.'],
    ['before the first pass is through', '4.12.7', null, undefined, 'at-least', 'has come through.'],
    ['installed as it is', '4.22.4', clean, '4.22.4', 'certain', 'The operator recorded 4.22.4.'],
    ['installed as it is, with a set skipped', '4.22.4', { ...clean, skipped: 1 }, '4.22.4', 'at-least', 'as it skips'],
  ] as const)('%s', (_, version, pass, installed, sure, words) => {
    const item = of(version, pass, installed)
    expect(item.sure).toBe(sure)
    expect(item.sentence).toContain(words)
    expect(item.sentence.includes('installed with')).toBe(sure === 'at-least')
  })
  it('without a machine set the release tells nothing, and the installation what it always does', () => {
    expect(of('4.22.4', clean, '4.12.7', [])).toMatchObject({
      sure: 'unknown',
      sentence: 'The operator had no machine set to look at; it records its own release then.',
    })
    expect(of('4.22.4', clean, '4.22.4', [])).toMatchObject({
      sure: 'at-least',
      sentence: 'The operator recorded 4.22.4, the version that the cluster was installed with.',
    })
  })
  it('nor where it passes over every set', () => {
    const over = { ...SETS[0]!, passedOver: true }
    expect(of('4.22.4', clean, '4.12.7', [over])).toMatchObject({
      sure: 'unknown',
      sentence: 'The operator passes over every machine set; it records its own release then.',
    })
    expect(of('4.22.4', clean, '4.22.4', [over]).sure).toBe('at-least')
    expect(of('4.22.4', clean, '4.12.7', [over, ...SETS]).sure).toBe('certain')
  })
  it('tells nothing of an image where it is what stands in the place of a release', () => {
    expect(of('0.0.1', clean)).toMatchObject({
      sure: 'unknown',
      sentence: 'The operator recorded 0.0.1, which is no release of OpenShift and tells nothing of an image.',
    })
  })
})
