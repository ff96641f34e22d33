import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FollowsInput } from '../../skew/follows'
import type { Managers, SkewState } from '../../skew/types'
import { matches, selectorProblem } from '../enrol'
import { managedShows, managedSteps, managersAfter, stepsAnew, wishProblem, type ManagedWish } from './plan'
import { managedFollows, setChanges, type SetNow } from './preview'
import { labelling, rowProblems, rowsOf, selectorOf, type SelectorRow } from './selector'

const entry = (resource: string, mode: string) => ({ resource, apiGroup: 'machine.openshift.io', selection: { mode } })
const PLANES = entry('controlplanemachinesets', 'All')
const PARTIAL: ManagedWish['sets'] = { mode: 'Partial', selector: { matchLabels: { pool: 'a' } } }
const RECORD = { action: 'acknowledge', versionKind: 'OCPVersion', version: '4.22.3' } as const

describe('the list', () => {
  test.each<[string, Managers, ManagedWish, string[]]>([
    ['an absent one', undefined, { sets: { mode: 'None' } }, ['machinesets None']],
    // Nothing said of machine sets beside an entry for control planes would have the operator manage all of them.
    ['an empty one, with the control plane', [], { sets: { mode: 'None' }, controlPlanes: 'All' }, ['machinesets None', 'controlplanemachinesets All']], // prettier-ignore
    ['the control plane’s entry is kept', [PLANES], { sets: PARTIAL }, ['machinesets Partial', 'controlplanemachinesets All']], // prettier-ignore
    ['and changed where that is asked for', [entry('machinesets', 'All'), PLANES], { sets: { mode: 'All' }, controlPlanes: 'None' }, ['machinesets All', 'controlplanemachinesets None']], // prettier-ignore
  ])('%s', (_, now, wish, expected) => {
    expect(managersAfter(wish, now).map((m) => `${m.resource} ${m.selection.mode}`)).toEqual(expected)
  })
})

describe('the steps', () => {
  const automatic = { spec: null, mode: 'Automatic', managers: undefined } as const

  test('leaving Automatic: recorded first, then the wait, and a way back', () => {
    const steps = managedSteps({ sets: PARTIAL, skew: RECORD }, automatic)
    expect(steps.map(({ label, waitsFor }) => [label, waitsFor])).toEqual([
      ['Record 4.22.3', undefined],
      ['Manage the machine sets that match the selector', 'the operator has left Automatic'],
    ])
    expect(steps[0]!.back?.body).toEqual({ spec: { bootImageSkewEnforcement: null } })
    // Of the second, both at once: what was managed before, and the operator's own record.
    expect(steps[1]!.back?.body.spec).toEqual({ managedBootImages: null, bootImageSkewEnforcement: null })
    expect(steps[0]!.body.spec).not.toHaveProperty('managedBootImages')
    expect(steps[1]!.body.spec).not.toHaveProperty('bootImageSkewEnforcement')
  })

  test('what stood there before is what the way back leads to', () => {
    const manual = { mode: 'RHCOSVersion', rhcosVersion: '9.6.20251023-0' }
    const managers = [entry('machinesets', 'All')] as Managers
    const [first, second] = managedSteps({ sets: { mode: 'None' }, skew: RECORD }, { ...automatic, managers, spec: { mode: 'Manual', manual } }) // prettier-ignore
    expect(second!.back?.body.spec).toMatchObject({ managedBootImages: { machineManagers: managers } })
    expect(first!.back?.body).toEqual({
      spec: { bootImageSkewEnforcement: { mode: 'Manual', manual: { ...manual, ocpVersion: null } } },
    })
  })

  test('everything else is one write, the way back to the operator’s own record too', () => {
    const back: ManagedWish = { sets: { mode: 'All' }, skew: { action: 'automatic' } }
    const manual = { spec: { mode: 'Manual' }, mode: 'Manual', managers: undefined } as const
    expect(managedSteps(back, manual)).toMatchObject([
      {
        label: 'Manage all machine sets, and let the operator decide',
        body: { spec: { bootImageSkewEnforcement: null } },
      },
    ])
    expect(managedSteps({ sets: { mode: 'None' } }, manual)).toHaveLength(1)
    expect(managedSteps({ sets: { mode: 'All' }, controlPlanes: 'All' }, automatic)).toHaveLength(1)
  })

  test('what cannot be sent is said', () => {
    expect(wishProblem({ sets: PARTIAL }, automatic)).toContain('Say what is to be recorded first')
    expect(wishProblem({ sets: PARTIAL, skew: { action: 'automatic' } }, automatic)).not.toBeNull()
    expect(wishProblem({ sets: { mode: 'None' }, skew: { action: 'automatic' } }, { mode: 'None' })).toContain('only')
    expect(wishProblem({ sets: PARTIAL }, { mode: 'Manual' })).toBeNull()
    expect(wishProblem({ sets: { mode: 'All' } }, automatic)).toBeNull()
  })

  test('gone on with, what is left keeps what others wrote into the list meanwhile; where nothing is stored all is made anew', () => {
    const wish: ManagedWish = { sets: PARTIAL, skew: RECORD }
    const [first, second] = managedSteps(wish, automatic)
    const now = { spec: null, mode: 'Manual', managers: [entry('machinesets', 'All'), PLANES] as Managers } as const
    const [stored, left] = stepsAnew(
      [
        { ...first!, state: 'stored' },
        { ...second!, state: 'failed' },
      ],
      wish,
      now,
      -1,
    )
    expect(stored).toMatchObject(first!)
    expect(left!.body.spec).toMatchObject({ managedBootImages: { machineManagers: managersAfter(wish, now.managers) } })
    expect(left!.back?.body.spec).toEqual({
      ...{ managedBootImages: { machineManagers: now.managers }, bootImageSkewEnforcement: null },
    })
    expect(stepsAnew([{ ...first!, state: 'failed' }, second!], wish, now, -1)).toEqual(managedSteps(wish, now))
  })

  test.each([0, 1])('where step %i may be stored, what is there is nothing for it to lead back to', (unsure) => {
    const wish: ManagedWish = { sets: PARTIAL, skew: RECORD }
    const [first, second] = managedSteps(wish, automatic)
    const managers = [...managersAfter(wish, undefined), PLANES] as Managers
    const manual = { mode: 'OCPVersion', ocpVersion: '4.22.3' }
    const now = { spec: { mode: 'Manual', manual }, mode: 'Manual', managers } as const
    const steps = [{ ...first!, ...(unsure > 0 && { state: 'stored' }) }, second!]
    const anew = stepsAnew(steps, wish, now, unsure)
    expect(anew.map(({ label }) => label)).toEqual(steps.map(({ label }) => label))
    expect(anew[unsure]!.back).toEqual(steps[unsure]!.back)
    expect(anew[0]!.body).toEqual(first!.body)
    expect(anew[1]!.body.spec).toEqual({ managedBootImages: { machineManagers: managers } })
  })

  test('what the operator took up is what was asked for', () => {
    const wish: ManagedWish = { sets: PARTIAL, controlPlanes: 'None' }
    expect(managedShows(managersAfter(wish, undefined), wish)).toBe(true)
    expect(managedShows([], { sets: { mode: 'None' } })).toBe(true)
    expect(managedShows([entry('machinesets', 'All')], wish)).toBe(false)
    expect(managedShows(managersAfter({ sets: PARTIAL }, undefined), { sets: { mode: 'Partial', selector: {} } })).toBe(
      false,
    )
  })
})

describe('the selector', () => {
  test.each<[SelectorRow, string | null]>([
    [{ key: 'pool', operator: 'In', values: ['a'] }, null],
    [{ key: 'example.com/boot-image', operator: 'Exists', values: [] }, null],
    [{ key: '', operator: 'Exists', values: [] }, 'Type the name'],
    [{ key: 'a b', operator: 'Exists', values: [] }, 'is no name of a label'],
    [{ key: 'pool', operator: 'NotIn', values: [] }, 'at least one value'],
    [{ key: 'pool', operator: 'In', values: ['a', 'b c'] }, 'b c is no value'],
    [{ key: 'pool', operator: 'In', values: ['-bad'] }, 'beginning and ending with a letter or digit'],
  ])('%j', (row, problem) => {
    const found = rowProblems([row])
    if (problem === null) expect(found).toEqual([])
    else expect(found[0]!.message).toContain(problem)
  })

  const row = fc.record({
    key: fc.constantFrom('pool', 'zone', 'example.com/x', 'a b', ''),
    operator: fc.constantFrom('In' as const, 'NotIn' as const, 'Exists' as const, 'DoesNotExist' as const),
    values: fc.array(fc.constantFrom('a', 'b', '', 'b c'), { maxLength: 3 }),
  })
  const labels = fc.dictionary(fc.constantFrom('pool', 'zone', 'example.com/x'), fc.constantFrom('a', 'b', ''))

  test('nothing that the form lets through is refused by the operator, and rows come back as they were', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), labels, (rows, of) => {
        fc.pre(rowProblems(rows).length === 0)
        const selector = selectorOf(rows)
        expect(selectorProblem(selector)).toBeUndefined()
        expect(matches(selectorOf(rowsOf(selector)), of)).toBe(matches(selector, of))
      }),
    )
  })

  test('an operator that there is not is kept beside what the form shows', () => {
    const matchExpressions = [{ key: 'a', operator: 'Bogus', values: ['b'] }]
    expect(rowsOf({ matchExpressions })).toEqual([{ key: 'a', operator: 'In', values: ['b'], stored: 'Bogus' }])
  })

  test('whoever runs the command has a set that the selector matches', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), labels, (rows, of) => {
        const command = labelling(rows, { name: 'workers', labels: of })?.command
        if (!command) return
        const after: Record<string, string> = { ...of }
        for (const given of command.split('--overwrite ')[1]!.split(' ')) {
          const [, key = '', value] = /^([^=]+?)(?:-|=(.*))$/.exec(given) ?? []
          if (value === undefined) delete after[key]
          else after[key] = value
        }
        expect(matches(selectorOf(rows), after)).toBe(true)
      }),
    )
    expect(labelling([{ key: 'pool', operator: 'In', values: ['a'] }], { name: 'w', labels: {} })).toEqual({
      command: 'oc -n openshift-machine-api label machineset/w --overwrite pool=a',
      systems: [],
    })
  })
})

const set = (name: string, more: Partial<SetNow> = {}): SetNow => ({
  ...{ kind: 'MachineSet', name, labels: {}, replicas: 3, state: 'current', outcome: 'unchanged' },
  ...{ reason: '', current: 'ami-old', wanted: 'ami-new', ...more },
})
const state = (more: Partial<SkewState> = {}): SkewState => ({
  ...{ supported: true, spec: null, mode: 'Automatic', recorded: { ocpVersion: '4.22.3' }, managers: undefined },
  ...{
    effectiveManagers: [entry('machinesets', 'All')],
    conditions: [],
    generation: 1,
    observedGeneration: 1,
    ...more,
  },
})
const input = (machineSets: SetNow[], more: Partial<SkewState> = {}): FollowsInput & { machineSets: SetNow[] } => ({
  state: state(more),
  platform: { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' },
  history: [{ state: 'Completed', version: '4.12.7' }],
  floor: { ocp: '4.13.0', rhel: '9.2', source: 'table' },
  ...{ release: '4.22.3', streamVersion: '4.22.3', machineSets },
  sets: { skipped: [], failing: [], undecided: [], outdated: [] },
})

describe('what follows', () => {
  test('narrowing without a record of one’s own falls below the floor, and says so', () => {
    const sets = [set('a', { labels: { pool: 'a' }, outcome: 'update' }), set('b')]
    const follows = managedFollows({ sets: PARTIAL }, input(sets, { mode: 'Manual' }))
    expect(follows).toMatchObject({ mode: 'Manual', judgement: { verdict: 'out-of-skew' } })
    expect(follows.sets.map(({ name, fate, to }) => [name, fate, to])).toEqual([
      ['a', 'changes', 'ami-new'],
      ['b', 'left', null],
    ])
    expect(follows.sentences[0]).toBe('1 of 2 machine sets is managed then.')
    expect(follows.sentences.join(' ')).toContain('4.12.7')
  })

  test('with what Automatic had recorded written down first, updates stay open', () => {
    const follows = managedFollows({ sets: { mode: 'None' }, skew: RECORD }, input([set('a')]))
    expect(follows).toMatchObject({ mode: 'Manual', recorded: { ocpVersion: '4.22.3' }, judgement: { verdict: 'ok' } })
    expect(follows.sentences.join(' ')).toContain('a keeps the image of now')
    expect(follows.sentences.join(' ')).toContain(
      'The operator stops recording by itself. The record is an acknowledged version then, 4.22.3: it is to be renewed',
    )
    const older = managedFollows({ sets: { mode: 'None' }, skew: { ...RECORD, version: '4.16.0' } }, input([set('a')]))
    expect(older.sentences.join(' ')).toContain('stops recording by itself; what it recorded, 4.22.3, is not kept. ')
  })

  test('opting in leads to Automatic by way of a pass, where nothing is acknowledged', () => {
    const follows = managedFollows({ sets: { mode: 'All' } }, input([set('a')], { mode: 'Manual', effectiveManagers: [] })) // prettier-ignore
    expect(follows).toMatchObject({ mode: 'Automatic', recorded: { ocpVersion: '4.22.3' } })
    const kept = managedFollows(
      { sets: { mode: 'All' } },
      input([set('a')], { mode: 'Manual', spec: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } }), // prettier-ignore
    )
    expect(kept).toMatchObject({ mode: 'Manual', recorded: { ocpVersion: '4.16.0' } })
  })

  test.each([
    ['update', 'changes', 'ami-new'],
    ['undecided', 'open', 'ami-new'],
    ['not-known', 'not-known', null],
    ['skip', 'skipped', null],
    ['error', 'fails', null],
    ['crash', 'fails', null],
    ['ignore', 'ignored', null],
    ['unchanged', 'stays', null],
  ] as const)('%s is %s', (outcome, fate, to) => {
    const why = { outcome, reason: 'Why. Boot image updates are off for this set.' }
    const [found] = managedFollows({ sets: { mode: 'All' } }, input([set('a', why)])).sets
    expect(found).toMatchObject({ fate, to })
    expect(found!.words).not.toContain('updates are off')
  })
})

describe('what cannot be dealt with', () => {
  const bad = set('bad', { outcome: 'error', reason: 'Why.' })
  const end = set('end', { outcome: 'crash', reason: 'Why.' })
  const of = (sets: SetNow[], more: Partial<SkewState> = {}) => managedFollows({ sets: { mode: 'All' } }, input(sets, more)) // prettier-ignore
  const manual = { mode: 'Manual', spec: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } } as const // prettier-ignore

  test('closes updates in Automatic, and keeps the record as it is', () => {
    const { sentences, judgement } = of([set('a'), bad])
    const said = sentences.join(' ')
    expect(said).toContain('bad cannot be dealt with: the operator says Degraded, and updates are closed, until that is repaired') // prettier-ignore
    expect(said).toContain('until then its record stays at 4.22.3')
    expect(said).not.toContain('goes on recording')
    expect(judgement).toMatchObject({ verdict: 'update-failing' })
    expect(judgement.blocks).toContain('are closed')
  })

  test('closes nothing elsewhere', () => {
    const { sentences, judgement } = of([bad], manual)
    expect(sentences.join(' ')).toContain('bad cannot be dealt with: the operator says Degraded until that is repaired')
    expect(sentences.join(' ')).not.toContain('updates are closed')
    expect(judgement.verdict).toBe('ok')
  })

  test.each([
    ['Automatic', {}],
    ['Manual', manual],
  ] as const)('%s: where its process ends the operator says nothing, and so closes nothing', (mode, more) => {
    const { sentences, judgement } = of([bad, set('a', { outcome: 'update' }), end], more)
    const said = sentences.join(' ')
    expect(said).toContain('The operator’s process ends on end, again and again')
    expect(said).toContain('It does not say Degraded for that')
    expect(said).not.toMatch(/the operator says Degraded|updates are closed|goes on recording/)
    expect(said.includes('records nothing: 4.22.3 stays and is not compared')).toBe(mode === 'Automatic')
    expect(judgement).toMatchObject({ verdict: mode === 'Automatic' ? 'evaluating' : 'ok', blocks: null })
  })

  test('the control plane’s set closes nothing: the machine sets after it say how it stands', () => {
    const plane = { ...bad, kind: 'ControlPlaneMachineSet', name: 'cluster' } as const
    const wish: ManagedWish = { sets: { mode: 'All' }, controlPlanes: 'All' }
    const { sentences, judgement } = managedFollows(wish, input([plane, set('a')]))
    expect(sentences.join(' ')).toContain('cluster cannot be dealt with')
    expect(sentences.join(' ')).not.toMatch(/Degraded until|updates are closed/)
    expect(judgement.verdict).toBe('ok')
  })
})

test('the control plane’s set is called that, and not by its own name', () => {
  const wish: ManagedWish = { sets: { mode: 'All' }, controlPlanes: 'All' }
  const of = (outcome: SetNow['outcome'], type = 'AWS') => {
    const plane = { ...set('cluster', { outcome, state: 'unknown' }), kind: 'ControlPlaneMachineSet' } as const
    const asked = input([set('a', { outcome: 'unchanged' }), plane])
    return managedFollows(wish, { ...asked, release: '4.22.4', platform: { ...asked.platform, type } }).sentences.join(
      ' ',
    )
  }
  expect(of('undecided')).toContain('Only the operator can tell whose the image of the control plane’s set is:')
  expect(of('update')).toContain('The operator writes the release’s boot image into the control plane’s set.')
  expect(of('crash')).toContain('The operator’s process ends on the control plane’s set, again and again')
  for (const outcome of ['undecided', 'update', 'crash'] as const)
    expect(of(outcome)).not.toMatch(/\bcluster (has|is)\b/)
})

test('what an outdated set starts with is read for its new image, and may be what the operator fails on, in every mode', () => {
  const of = (mode: 'Automatic' | 'Manual', more: object = {}) => {
    const spec =
      mode === 'Manual' ? { mode: 'Manual' as const, manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } : null
    const sets = [set('old', { outcome: 'update' }), set('a', { outcome: 'unchanged' })]
    return managedFollows({ sets: { mode: 'All' } }, { ...input(sets, { mode, spec }), ...more }).sentences.join(' ')
  }
  const reads = 'For that it reads the user data secret of old, which Drydock may not'
  expect(of('Manual')).toContain(reads)
  expect(of('Manual')).toContain('it fails, and it says Degraded until that is repaired')
  expect(of('Automatic')).toContain('it fails, and updates are closed until that is repaired')
  // Up to 4.18 it looks into none.
  expect(of('Manual', { managing: { says: false, none: false } })).not.toContain(reads)
})

describe('what only the cloud can tell', () => {
  const of = (type: string, mode: 'Automatic' | 'Manual' = 'Automatic', release = '5.1.0') => {
    const spec =
      mode === 'Manual' ? { mode: 'Manual' as const, manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } } : null
    const asked = input([set('fd1', { outcome: 'undecided', reason: 'Only vCenter knows.' })], { mode, spec })
    return managedFollows({ sets: { mode: 'All' } }, { ...asked, release, platform: { ...asked.platform, type } })
  }

  test('vSphere swaps an outdated template under its own name, whoever made it', () => {
    const { sets, sentences } = of('VSphere')
    expect(sets[0]).toMatchObject({ fate: 'open', to: null })
    expect(sets[0]!.words).toContain('under its own name')
    expect([sets[0]!.words, ...sentences].join(' ')).not.toMatch(/skip|recognise/)
    expect(sentences.join(' ')).toContain('updates are closed until that is repaired')
  })

  test('AWS: it may also fail, which closes updates only where the operator records by itself', () => {
    expect(of('AWS').sets[0]!.words).toContain('or the operator fails on it')
    expect(of('AWS').sentences.join(' ')).toContain('updates are closed until that is repaired')
    expect(of('AWS', 'Manual').sentences.join(' ')).toContain('it says Degraded until that is repaired')
    // A release that asks nobody does not fail by that.
    const early = of('AWS', 'Manual', '4.22.3')
    expect([early.sets[0]!.words, ...early.sentences].join(' ')).not.toMatch(/fails|Degraded|EC2/)
  })
})

test.each([
  ['current', '', 'It has the image of the release already.'],
  ['unknown', 'It names no boot disk.', 'It names no boot disk.'],
  ['unknown', '', 'It keeps the image that it has.'],
])('a set that is %s and stays as it is: %j', (state, reason, words) => {
  const stays = setChanges([set('a', { outcome: 'unchanged', state, reason })], undefined, ALL, null)
  expect(stays).toMatchObject([{ fate: 'stays', words }])
})
const ALL: Managers = [
  { resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } },
] as Managers

test.each([
  [
    '4.19.7',
    '4.19.9',
    'an operator of this release does not wait for its end, and may write images before that.',
    true,
  ],
  ['4.20.3', '4.20.9', 'whether the operator waits for its end depends on the build; it may write images before that.', true], // prettier-ignore
  ['4.22.3', '4.22.9', 'the operator begins no pass before it is through.', false],
])('in an update of %s to %s', (release, version, words, passes) => {
  const history = [
    { state: 'Partial', version },
    { state: 'Completed', version: release },
  ]
  const { sentences } = managedFollows(
    { sets: { mode: 'All' } },
    { ...input([set('a', { outcome: 'update' })]), history, release },
  )
  expect(sentences).toContain(`An update of the cluster is under way: ${words}`)
  expect(sentences.some((sentence) => sentence.startsWith('A pass over them'))).toBe(passes)
})
