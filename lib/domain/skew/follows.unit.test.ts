import { describe, expect, it } from 'vitest'
import { floorOf } from './floors'
import { afterPass, whatFollows, type FollowsInput } from './follows'

const input = (platform: string, sets: Partial<FollowsInput['sets']> = {}, install = '4.14.8'): FollowsInput => ({
  ...{ floor: floorOf('4.22.4'), release: '4.22.4', streamVersion: '4.22.4' },
  history: [{ state: 'Completed', version: install }],
  platform: { type: platform, azureStack: false, topology: 'HighlyAvailable' },
  sets: { skipped: [], failing: [], undecided: [], outdated: [], ...sets },
  state: {
    ...{ supported: true, spec: null, mode: 'Manual', recorded: { ocpVersion: '4.14.8' }, conditions: [] },
    ...{ managers: undefined, effectiveManagers: undefined, generation: 1, observedGeneration: 1 },
  },
})
const of = (platform: string, sets: Partial<FollowsInput['sets']>, install = '4.14.8') =>
  afterPass({ ocpVersion: install }, input(platform, sets, install))

it('opting out where enforcement is off already changes no warning', () => {
  const aws = input('AWS')
  const said = (mode: 'Manual' | 'None') =>
    whatFollows({ action: 'opt-out' }, { ...aws, state: { ...aws.state, mode } }).sentences.join(' ')
  expect(said('Manual')).toContain('Nobody warns any more when boot images grow too old')
  expect(said('None')).toContain('Enforcement is off already: nobody warns when boot images grow too old')
})

describe('what is promised of the first pass', () => {
  it.each(['GCP', 'Azure'])('%s: only where the user data of what is written can be read and converted', (platform) => {
    const { judgement, sentences } = of(platform, { outdated: ['a', 'b'] })
    expect(sentences.join(' ')).toContain(
      'For that it reads the user data secrets of a and b, which Drydock may not: where one is missing or cannot be converted it fails',
    )
    expect(sentences.at(-1)).toMatch(/^Where it does not fail: In range\. Recorded automatically: 4\.22\.4/)
    expect(judgement).toMatchObject({ verdict: 'ok', sentence: sentences.at(-1) })
  })
  it('without a set to write nothing is read, and it is promised', () => {
    const { sentences } = of('GCP', {})
    expect(sentences.at(-1)).toMatch(/^In range/)
    expect(sentences.join(' ')).not.toContain('user data')
  })
  it('what is closed by the record is closed, whatever fails', () => {
    const { judgement, sentences } = of('AWS', { outdated: ['a'], skipped: ['b'] }, '4.12.7')
    expect(judgement.sentence).toMatch(/^Boot image 4\.12\.7 is below the floor/)
    expect(sentences.at(-1)).toBe(judgement.sentence)
    expect(of('AWS', { skipped: ['b'] }, '4.12.7').sentences.join(' ')).not.toContain('tries nothing again')
  })
  it('also where the record falls back', () => {
    const { sentences } = of('GCP', { outdated: ['a'], skipped: ['b'] })
    expect(sentences.at(-1)).toMatch(/^Where it does not fail: In range\. Recorded automatically: 4\.14\.8/)
  })
  it.each([
    ['VSphere', { undecided: ['a'] }],
    ['GCP', { failing: ['a'] }],
    ['GCP', { outdated: ['a'] }],
    ['VSphere', {}],
  ])('%s %j: a repair alone opens nothing, for nothing is tried again by itself', (platform, sets) => {
    const said = of(platform, sets).sentences.join(' ')
    expect(said).toContain('updates are closed until that is repaired and another pass begins')
    expect(
      said.match(/tries nothing again by itself: after the repair an annotation on any machine set/g),
    ).toHaveLength(1)
  })

  it('of a set of which Drydock does not know what becomes, nothing is laid on a cloud, and nothing promised', () => {
    const { sentences } = of('AWS', { unknown: ['a'] })
    expect(sentences).toContain('What the operator does with a is not known here, and so not what it records.')
    expect(sentences.join(' ')).not.toMatch(/Only the operator can tell|EC2/)
    expect(sentences.at(-1)).toMatch(/^Where no set fails or is skipped: In range/)
  })

  it('where its process ends nothing is closed, for nothing is compared; whatever else would fail or be skipped', () => {
    const { judgement, sentences } = of('GCP', { failing: ['a', 'b'], ending: ['b'], skipped: ['c'] }, '4.12.7')
    expect(judgement).toMatchObject({ verdict: 'evaluating', blocks: null })
    expect(sentences.join(' ')).toContain('The operator’s process ends on b, again and again')
    expect(sentences.join(' ')).not.toMatch(/updates are closed until|tries nothing again/)
  })

  it('where a set is skipped as well, and the installation is below the floor, the repair opens nothing', () => {
    const said = (install: string) => of('GCP', { failing: ['a'], skipped: ['b'] }, install).judgement.sentence
    expect(said('4.12.7')).toContain('They stay closed after that, for b will be skipped')
    expect(said('4.14.8')).not.toContain('stay closed')
  })
})

describe('while an update of the cluster is under way no pass begins', () => {
  const during = (install: string, sets: Partial<FollowsInput['sets']> = {}) => {
    const { history, ...rest } = input('GCP', sets, install)
    return whatFollows(
      { action: 'automatic' },
      { ...rest, history: [{ state: 'Partial', version: '4.22.5' }, ...history!] },
    )
  }
  it('what it enters with below the floor closes updates until it is through, and does not pass in seconds', () => {
    const { judgement, recorded, sentences } = during('4.12.7')
    expect(judgement).toMatchObject({ verdict: 'out-of-skew', blocks: expect.anything() as unknown })
    expect(recorded).toEqual({ ocpVersion: '4.12.7' })
    expect(sentences[1]).toMatch(
      /^No pass begins while an update .* this stands: Boot image 4\.12\.7 is below the floor/,
    )
    expect(sentences.join(' ')).not.toContain('For some seconds')
  })
  it('what the pass then comes to counts where that closes nothing', () => {
    expect(during('4.14.8').recorded).toEqual({ ocpVersion: '4.22.4' })
    expect(during('4.14.8', { failing: ['a'] }).judgement).toMatchObject({ verdict: 'update-failing' })
  })
})
