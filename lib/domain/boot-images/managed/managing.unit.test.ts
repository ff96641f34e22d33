import { describe, expect, test } from 'vitest'
import type { Managers, Platform, SkewState } from '../../skew/types'
import { bootImageState } from '../state'
import type { ImageContext, ImageSet } from '../types'
import { MANAGED_SECRET, secretWords } from '../user-data'
import { goesBy, managingOf, type ManagedSchema } from './managing'
import { managedShows, managedSteps, managersAfter, type ManagedWish } from './plan'
import { managedFollows, type SetNow } from './preview'

const platform = (type: string, azureStack = false): Platform => ({ type, azureStack, topology: 'HighlyAvailable' })
const of = (version: string | null, type: string, schema?: ManagedSchema | null, azureStack = false) =>
  managingOf(schema, { version, platform: platform(type, azureStack), named: azureStack ? 'Azure Stack Hub' : type })
const NO_STATUS = { spec: true, status: false, none: false }
const ALL = { spec: true, status: true, none: true }
const entry = (mode: string) => ({ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode } })

describe('how it is chosen', () => {
  test.each<[string | null, string, ManagedSchema | null | undefined, boolean, boolean, boolean, RegExp | null]>([
    ['4.18.20', 'AWS', NO_STATUS, false, false, false, null],
    ['4.18.20', 'GCP', undefined, false, false, false, null],
    ['4.17.9', 'GCP', NO_STATUS, false, false, false, null],
    ['4.17.9', 'AWS', NO_STATUS, false, false, false, /4\.17 updates boot images on AWS only as a technology preview/],
    ['4.16.2', 'GCP', NO_STATUS, false, false, false, /technology preview/],
    ['4.16.2', 'GCP', { spec: false, status: false, none: false }, false, false, false, /4\.16 does not know managed/],
    ['4.18.20', 'Azure', NO_STATUS, false, false, false, /4\.18 does not update boot images on Azure: the first that does is 4\.21/], // prettier-ignore
    ['4.20.3', 'Azure', ALL, true, true, false, /the first that does is 4\.21/],
    ['4.18.20', 'BareMetal', NO_STATUS, false, false, false, /does not update boot images on bare metal/],
    // What is served counts for more than the version: during an update both forms are there.
    ['4.18.20', 'AWS', ALL, true, true, false, null],
    ['4.19.1', 'AWS', ALL, true, true, true, null],
    ['4.21.3', 'Azure', ALL, true, true, false, null],
    ['4.22.4', 'Azure', undefined, true, true, true, null],
    ['4.15.9', 'AWS', null, true, true, true, /OpenShift 4\.15 does not know managed boot images/],
    [null, 'AWS', ALL, true, true, true, null],
    [null, 'AWS', null, true, true, true, /version of this cluster is not known/],
  ])('%s on %s, served %j', (version, type, schema, says, none, byDefault, refused) => {
    const found = of(version, type, schema)
    expect(found).toMatchObject({ says, none, byDefault })
    if (refused) expect(found.refused?.message).toMatch(refused)
    else expect(found.refused).toBeNull()
  })

  test('what nobody knows is neither managed nor never managed', () => {
    expect(of(null, 'AWS')).toMatchObject({ never: false, unknown: 'version' })
    expect(of('4.15.9', 'AWS')).toMatchObject({ never: true, unknown: null })
    expect(of(null, 'BareMetal')).toMatchObject({ never: true, refused: { message: expect.stringMatching(/bare metal/) as string } }) // prettier-ignore
  })

  test('on a platform that cannot be read it is not refused as on one that is not managed', () => {
    for (const version of ['4.22.4', '4.18.20', null])
      expect(of(version, '', ALL)).toMatchObject({
        ...{ never: false, unknown: 'platform' },
        refused: {
          message: 'Which platform it is cannot be read, and so not whether its operator updates boot images.',
        },
      })
    expect(of('4.15.9', '')).toMatchObject({ never: true, unknown: null })
  })

  test('Azure Stack Hub is none of it, and what to do is what can be done there', () => {
    expect(of('4.22.4', 'Azure', ALL, true)).toMatchObject({
      never: true,
      refused: { hint: expect.stringContaining('acknowledge') as string },
    })
    expect(of('4.18.20', 'VSphere', NO_STATUS)).toMatchObject({
      never: true,
      refused: { hint: expect.stringMatching(/by hand\.$/) as string },
    })
  })

  test.each<[Managers, Managers]>([
    [undefined, []],
    [[], []],
    [[entry('All')], [entry('All')]],
  ])('where the operator does not say it, spec %j is what it goes by', (managers, goes) => {
    expect(goesBy({ managers, effectiveManagers: undefined }, of('4.18.20', 'AWS', NO_STATUS))).toEqual(goes)
    expect(goesBy({ managers, effectiveManagers: undefined }, of('4.18.20', 'Azure', NO_STATUS))).toBeUndefined()
    expect(goesBy({ managers, effectiveManagers: undefined }, of('4.22.4', 'AWS', ALL))).toBeUndefined()
  })
})

describe('without the mode None', () => {
  const none: ManagedWish = { sets: { mode: 'None' } }

  test('nothing is the empty list, and shows as that', () => {
    expect(managersAfter(none, [entry('All')], false)).toEqual([])
    expect(managersAfter({ sets: { mode: 'All' } }, [], false)).toEqual([entry('All')])
    expect(managedSteps(none, { spec: null, mode: null, managers: undefined }, false)).toMatchObject([
      { label: 'Manage no machine set', body: { spec: { managedBootImages: { machineManagers: [] } } } },
    ])
    expect(managedShows([], none)).toBe(true)
    expect(managedShows([entry('All')], none)).toBe(false)
  })
})

const set = (more: Partial<ImageSet> = {}): ImageSet => ({
  ...{ kind: 'MachineSet', name: 'a', replicas: 3, labels: {}, templateLabels: {}, annotations: {}, owners: [] },
  providerSpec: {
    ...{ disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/old' }] },
    userDataSecret: { name: 'worker-user-data' },
  },
  ...more,
})
const context = (image: string, more: Partial<ImageContext> = {}): ImageContext => ({
  ...{ platform: 'GCP', infrastructureName: 'x', multiArch: false, controlPlaneArch: 'x86_64', failureDomains: null },
  stream: {
    found: true,
    stream: {
      architectures: { x86_64: { artifacts: {}, gcp: { project: 'rhcos-cloud', name: image } } },
    },
  } as unknown as ImageContext['stream'],
  early: 'yes',
  ...more,
})
const spec = (more: object) => ({ providerSpec: { ...set().providerSpec, ...more } })

describe('what an operator of 4.18 or before does with a set', () => {
  test.each<[string, ImageSet, ImageContext, string, object | undefined]>([
    ['an old image', set(), context('new'), 'outdated update', { userDataSecret: { name: MANAGED_SECRET } }],
    ['the right image', set(), context('old'), 'current update', { userDataSecret: { name: MANAGED_SECRET } }],
    ['the right image and secret', set(spec({ userDataSecret: { name: MANAGED_SECRET } })), context('old'), 'current unchanged', undefined], // prettier-ignore
    ['an image of one’s own', set(spec({ disks: [{ boot: true, image: 'projects/mine/x' }] })), context('new'), 'custom skip', undefined], // prettier-ignore
    ['no secret', set(spec({ userDataSecret: null })), context('old'), 'current crash', undefined],
    ['the control plane’s', set({ kind: 'ControlPlaneMachineSet' }), context('old'), 'current unchanged', undefined],
    ['an owner', set({ owners: [{ kind: 'Fleet', name: 'x' }] }), context('new'), 'excluded error', undefined],
    ['an owner, later', set({ owners: [{ kind: 'Fleet', name: 'x' }] }), context('new', { early: 'no' }), 'excluded skip', undefined], // prettier-ignore
    ['an owner, in between', set({ owners: [{ kind: 'Fleet', name: 'x' }] }), context('new', { early: 'some' }), 'unknown not-known', undefined], // prettier-ignore
    ['no architecture in a cluster of several', set(), context('new', { multiArch: true, asksForArch: 'no' }), 'outdated update', { userDataSecret: { name: MANAGED_SECRET } }], // prettier-ignore
  ])('%s', (_, of, where, expected, patch) => {
    const found = bootImageState(of, where)
    expect(`${found.state} ${found.outcome}`).toBe(expected)
    if (patch) expect(found.patch).toMatchObject(patch)
    else expect(found.patch).toBeUndefined()
    expect(secretWords(found.reason) !== '').toBe(patch !== undefined)
  })
})

test('what follows there speaks of no limit, and of each secret that is replaced', () => {
  const state: SkewState = {
    ...{ supported: false, spec: null, mode: null, recorded: {}, managers: undefined, effectiveManagers: [] },
    ...{ conditions: [], generation: 1, observedGeneration: 1 },
  }
  const now = (name: string, more: Partial<SetNow>): SetNow => ({
    ...{ kind: 'MachineSet', name, labels: {}, replicas: 1, state: 'unknown', outcome: 'undecided' },
    ...{ current: 'ami-old', wanted: 'ami-new', ...more, reason: `${more.reason ?? ''} With its image, its user data secret mine is replaced by ${MANAGED_SECRET}.` }, // prettier-ignore
  })
  const follows = managedFollows(
    { sets: { mode: 'All' } },
    {
      ...{ state, platform: platform('AWS'), history: [{ state: 'Completed', version: '4.18.20' }], floor: null },
      ...{ release: '4.18.20', streamVersion: '4.18.20', managing: { says: false, none: false } },
      sets: { skipped: [], failing: [], undecided: [], outdated: [] },
      machineSets: [now('a', { reason: 'Not the release image.' })],
    },
  )
  expect(follows).toMatchObject({ mode: null, sets: [{ name: 'a', fate: 'open', to: 'ami-new' }] })
  const said = follows.sentences.join(' ')
  expect(said).toContain(`New machines of a start with the user data secret ${MANAGED_SECRET}, where the image is`)
  expect(said).not.toMatch(/EC2|record|Automatic|4\.12/)
  expect(follows.sets[0]!.words).not.toContain('fails on it')
})
