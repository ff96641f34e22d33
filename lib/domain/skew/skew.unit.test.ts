import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effectiveManagers, effectiveSkew, installVersion, managesAll, optsInByItself } from './effective'
import { floorAsQuoted, floorInForce, floorOf, quotedFloor } from './floors'
import type { Condition, Managers, Platform, SkewMode, SkewState } from './types'
import { upgradeable } from './upgradeable'
import { skewVerdict, standing } from './verdict'
import { below, compareVersions, parseVersion, rhelOf, threeParts } from './version'

const floor = floorOf('4.22.3')!
const platform = (type: string, topology = 'HighlyAvailable', more: Partial<Platform> = {}): Platform => ({
  type,
  topology,
  azureStack: false,
  ...more,
})
const managers = (machinesets?: string, plane?: string): Managers => [
  ...(machinesets
    ? [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: machinesets } }]
    : []),
  ...(plane
    ? [{ resource: 'controlplanemachinesets', apiGroup: 'machine.openshift.io', selection: { mode: plane } }]
    : []),
]
const history = (...versions: string[]) => versions.map((version) => ({ state: 'Completed', version }))
const NOTHING = { mode: null, recorded: {} }

describe('versions as the operator reads them', () => {
  it.each([
    ['4.12.99', 'below'],
    ['0.0.0', 'below'],
    ['4.9.99', 'below'],
    ['3.11.0', 'below'],
    ['4.13.0', 'above'],
    ['4.100.0', 'above'],
    ['5.0.0', 'above'],
    ['10.0.0', 'above'],
    ['04.012.09', 'unreadable'],
    ['4.012.09', 'below'],
    ['99999999999999999999.0.0', 'unreadable'],
    ['v4.12.0', 'below'],
    [' 4.12.0', 'below'],
    ['4.12', 'below'],
    ['4.13', 'above'],
    ['4.12.0-rc.1', 'below'],
    ['4.12.0.1', 'below'],
    ['4', 'unreadable'],
    ['4..0', 'unreadable'],
    ['4.x.0', 'unreadable'],
    ['garbage', 'unreadable'],
    ['-4.12.0', 'unreadable'],
    ['4.12.0\n', 'unreadable'],
    ['\u00a04.12.0', 'unreadable'],
  ])('OCP %s is %s the floor', (version, where) => {
    expect(standing({ ocpVersion: version }, floor)).toBe(where)
  })

  it.each([
    ['9.1.20251023-0', '9.1', 'below'],
    ['8.10.20240101-0', '8.10', 'below'],
    ['9.2.20230101-0', '9.2', 'above'],
    ['9.10.20260101-0', '9.10', 'above'],
    ['10.0.20260101-0', '10.0', 'above'],
    ['411.86.202308081056-0', '8.6', 'below'],
    ['413.92.202307260246-0', '9.2', 'above'],
    ['417.90.202410210000-0', '9.0', 'below'],
    ['424.20.202701010000-0', '2.0', 'below'],
    ['424.100.202701010000-0', '1.00', 'below'],
    ['500.1.202701010000-0', undefined, 'unreadable'],
    ['09.1.20251023-0', undefined, 'unreadable'],
    ['9.1', undefined, 'unreadable'],
    ['9.1.2025102-0', undefined, 'unreadable'],
    ['9.1.20251023', '9.1', 'below'],
    ['v9.1.20251023-0', 'v9.1', 'below'],
    ['rhcos-9.1.20251023-0', undefined, 'unreadable'],
    ['9.1.２０２５１０２３-0', undefined, 'unreadable'],
  ])('RHCOS %s is RHEL %s: %s', (version, rhel, where) => {
    expect(rhelOf(version)).toBe(rhel)
    expect(standing({ rhcosVersion: version }, floor)).toBe(where)
  })

  it('compares the OCP version alone where both are recorded', () => {
    expect(standing({ ocpVersion: '4.22.0', rhcosVersion: '8.6.20220101-0' }, floor)).toBe('above')
    expect(standing({ ocpVersion: 'x', rhcosVersion: '8.6.20220101-0' }, floor)).toBe('unreadable')
    expect(standing({}, floor)).toBe('nothing')
  })

  it('orders three-part versions as numbers, each way round', () => {
    const part = fc.nat({ max: 200 })
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (a, b) => {
        const text = (v: number[]) => v.join('.')
        const order = Math.sign(a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
        expect(compareVersions(parseVersion(text(a))!, parseVersion(text(b))!)).toBe(order)
        expect(below(text(a), text(b))).toBe(order < 0)
        expect(threeParts(`v${text(a)}-rc.1`)).toBe(text(a))
      }),
    )
  })

  it('never throws, whatever is recorded', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['below', 'above', 'unreadable', 'nothing']).toContain(standing({ ocpVersion: text }, floor))
        expect(['below', 'above', 'unreadable', 'nothing']).toContain(standing({ rhcosVersion: text }, floor))
      }),
    )
  })
})

describe('the floor', () => {
  it('is known per release, and not enforced before 4.22', () => {
    expect(floorOf('4.21.9')).toBeNull()
    expect(floorOf('4.22.0')).toEqual({ ocp: '4.13.0', rhel: '9.2', source: 'table' })
    expect(floorOf('5.1.0-0.nightly-2026-08-01')).toMatchObject({ source: 'table' })
    // 4.24 stands between releases that were read, and was not.
    for (const release of ['4.24.0', '5.9.0'])
      expect(floorOf(release)).toEqual({
        ...{ ocp: '4.13.0', rhel: '9.2', source: 'newer' },
        unsure: ['OCPVersion', 'RHCOSVersion'],
      })
    expect(floorOf(null)).toMatchObject({ source: 'newer' })
  })

  it('is in force where the operator already enforces one, whatever release is complete', () => {
    expect(floorInForce('4.21.9', '4.22.0', null)).toBeNull()
    expect(floorInForce('4.21.9', '4.22.0', 'Manual')).toEqual(floorOf('4.22.0'))
    expect(floorInForce('4.21.9', '4.21.9', 'Automatic')).toMatchObject({ ocp: '4.13.0', source: 'newer' })
    expect(floorInForce('4.22.3', '4.23.0', 'None')).toEqual(floorOf('4.22.3'))
  })

  it('is corrected by what the cluster’s own operator quotes', () => {
    const at = { runs: '4.22.3', newest: '4.22.3' }
    const quoted = (message: string) => floorAsQuoted(floor, quotedFloor(null, message, at))
    expect(
      quoted('is using OCP boot image version 4.14.0, which is below the minimum required version 4.16.0. To enable'),
    ).toEqual({ ocp: '4.16.0', rhel: '9.2', source: 'cluster', unsure: ['RHCOSVersion'] })
    expect(quoted('which is below the minimum required RHEL version 9.4.')).toMatchObject({ rhel: '9.4' })
    expect(quoted('One or more machine config pools are degraded')).toEqual(floor)
  })
})

describe('the mode that the operator arrives at', () => {
  const arrive = (
    type: string,
    more: {
      topology?: string
      spec?: unknown
      managers?: Managers
      url?: boolean
      before?: typeof NOTHING | { mode: SkewMode; recorded: object }
    } = {},
  ) =>
    effectiveSkew({
      spec: (more.spec ?? null) as never,
      managers: more.managers,
      platform: platform(type, more.topology, { provisioningUrl: more.url }),
      history: history('4.22.3', '4.16.8'),
      before: more.before ?? NOTHING,
    })

  it.each([
    ['AWS', 'Automatic'],
    ['GCP', 'Automatic'],
    ['Azure', 'Automatic'],
    ['VSphere', 'Automatic'],
    ['OpenStack', 'Manual'],
    ['Nutanix', 'Manual'],
    ['None', 'Manual'],
    ['External', 'Manual'],
    ['BareMetal', 'None'],
  ])('by default on %s: %s', (type, mode) => {
    expect(arrive(type).mode).toBe(mode)
  })

  it('looks at nothing but SingleReplica', () => {
    expect(arrive('AWS', { topology: 'SingleReplica' }).mode).toBe('None')
    for (const topology of ['External', 'HighlyAvailableArbiter', 'DualReplica', ''])
      expect(arrive('AWS', { topology }).mode).toBe('Automatic')
  })

  it('records the install version on the way in, and keeps an automatic record', () => {
    expect(arrive('AWS').recorded).toEqual({ ocpVersion: '4.16.8' })
    const kept = { mode: 'Automatic' as const, recorded: { rhcosVersion: '9.6.20260210-0' } }
    expect(arrive('AWS', { before: kept }).recorded).toEqual(kept.recorded)
    expect(arrive('AWS', { before: kept, managers: managers('None') }).recorded).toEqual({
      mode: 'OCPVersion',
      ocpVersion: '4.16.8',
    })
  })

  it('leaves Automatic for every way of not managing all machine sets', () => {
    for (const list of [managers(), managers('None'), managers('Partial'), managers('None', 'All')])
      expect(arrive('AWS', { managers: list }).mode).toBe('Manual')
    for (const list of [undefined, managers('All'), managers(undefined, 'All'), managers('All', 'None')])
      expect(arrive('AWS', { managers: list }).mode).toBe('Automatic')
  })

  it('follows the stanza before everything else', () => {
    expect(arrive('AWS', { spec: { mode: 'None' }, topology: 'SingleReplica' }).mode).toBe('None')
    const manual = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.19.0' } }
    expect(arrive('BareMetal', { spec: manual })).toMatchObject({ mode: 'Manual', recorded: { ocpVersion: '4.19.0' } })
  })

  it('looks at bare metal’s provisioning address', () => {
    expect(arrive('BareMetal', { url: true }).mode).toBe('Manual')
    expect(arrive('BareMetal', { url: true, topology: 'SingleReplica' }).mode).toBe('None')
  })

  it('takes the oldest completed entry for the installation', () => {
    expect(
      installVersion([
        { state: 'Partial', version: '4.22.4' },
        { state: 'Completed', version: '4.14.2' },
        { state: 'Partial', version: '4.12.0' },
      ]),
    ).toBe('4.14.2')
    expect(
      installVersion([
        { state: 'Partial', version: '4.22.3' },
        { state: 'Partial', version: '4.12.1' },
      ]),
    ).toBe('4.12.1')
    expect(installVersion(history('5.0.0-0.nightly-2026-01-01'))).toBe('5.0.0')
    expect(installVersion(history('next'))).toBe('0.0.0')
    expect(installVersion(undefined)).toBe('0.0.0')
  })

  it('makes the effective configuration', () => {
    expect(effectiveManagers(undefined, platform('VSphere'), undefined)).toEqual(managers('All'))
    expect(effectiveManagers(managers(undefined, 'All'), platform('AWS'), undefined)).toEqual(managers('All', 'All'))
    expect(effectiveManagers([], platform('AWS'), managers('All'))).toEqual([])
    expect(effectiveManagers(undefined, platform('AWS'), managers('None', 'All')?.toReversed())).toEqual(
      managers('All', 'None')?.toReversed(),
    )
    expect(effectiveManagers(undefined, platform('VSphere'), managers('None', 'All'))).toEqual(managers('All', 'All'))
    expect(effectiveManagers(managers('All'), platform('OpenStack'), undefined)).toBeUndefined()
    expect(optsInByItself(undefined, platform('AWS'), undefined)).toBe(true)
    expect(optsInByItself(undefined, platform('AWS'), managers('All', 'None'))).toBe(false)
    expect(optsInByItself(managers('All'), platform('AWS'), undefined)).toBe(false)
    expect(managesAll(undefined)).toBe(true)
  })
})

const condition = (type: string, status: string, message = ''): Condition => ({ type, status, message })
const SETTLED = [condition('BootImageUpdateProgressing', 'False'), condition('BootImageUpdateDegraded', 'False')]

const state = (
  mode: SkewMode | null,
  recorded: object,
  conditions = SETTLED,
  more: Partial<SkewState> = {},
): SkewState => ({
  supported: true,
  spec: null,
  mode,
  recorded,
  managers: undefined,
  effectiveManagers: undefined,
  conditions,
  generation: 1,
  observedGeneration: 1,
  ...more,
})

describe('the verdict', () => {
  it.each([
    ['Manual', { ocpVersion: '4.12.7' }, SETTLED, 'out-of-skew'],
    ['Manual', { ocpVersion: '4.16.0' }, [], 'ok'],
    ['Manual', { ocpVersion: '4.12.0' }, [condition('BootImageUpdateDegraded', 'True', 'x')], 'out-of-skew'],
    ['None', {}, [condition('BootImageUpdateDegraded', 'True', 'x')], 'not-enforced'],
    ['Automatic', { ocpVersion: '4.12.40' }, SETTLED, 'out-of-skew'],
    ['Automatic', { ocpVersion: '4.12.40' }, [], 'evaluating'],
    ['Automatic', { ocpVersion: '4.12.40' }, [condition('BootImageUpdateProgressing', 'True')], 'evaluating'],
    // The two of boot images are added to an empty list only.
    ['Automatic', { ocpVersion: '4.12.40' }, [condition('Other', 'True')], 'unknown'],
    ['Automatic', { ocpVersion: '4.12.40' }, [condition('BootImageUpdateProgressing', 'Unknown')], 'out-of-skew'],
    [
      'Automatic',
      { ocpVersion: '4.22.3' },
      [condition('BootImageUpdateDegraded', 'True', '1 Degraded MAPI MachineSets')],
      'update-failing',
    ],
    [
      'Automatic',
      { ocpVersion: '4.22.3' },
      [...SETTLED.slice(0, 1), condition('BootImageUpdateDegraded', 'Unknown')],
      'ok',
    ],
    ['Automatic', {}, SETTLED, 'not-enforced'],
    [null, {}, [], 'evaluating'],
  ] as [SkewMode | null, object, Condition[], string][])('%s %j: %s', (mode, recorded, conditions, verdict) => {
    expect(skewVerdict(state(mode, recorded, conditions), floor, '4.22.4').verdict).toBe(verdict)
  })

  it('says it in words, and what is closed', () => {
    const judgement = skewVerdict(state('Manual', { ocpVersion: '4.12.7' }), floor, '4.22.4')
    expect(judgement.sentence).toBe('Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.')
    expect(judgement.blocks).toContain('Updates beyond 4.22 are closed')
    const rhcos = skewVerdict(state('Manual', { rhcosVersion: '411.86.202308081056-0' }), floor, '4.22.4')
    expect(rhcos.sentence).toContain('RHEL 8.6')
  })

  it('says where there is no limit', () => {
    expect(
      skewVerdict(state('Manual', { ocpVersion: '4.1.1' }, SETTLED, { supported: false }), floor, '4.21.3').verdict,
    ).toBe('unsupported-release')
    expect(skewVerdict(state(null, {}), null, '4.21.3').verdict).toBe('unsupported-release')
  })

  it('closes exactly when the operator’s own condition does, pools aside', () => {
    const statuses = ['True', 'False', 'Unknown']
    const conditions = fc.record({
      p: fc.option(fc.constantFrom(...statuses)),
      d: fc.option(fc.constantFrom(...statuses)),
    })
    const recorded = fc.record(
      {
        ocpVersion: fc.constantFrom('4.12.40', '4.13.0', '04.1.0', '4.22.3'),
        rhcosVersion: fc.constantFrom('9.1.20250101-0', '9.2.20250101-0'),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.constantFrom<SkewMode | null>('Automatic', 'Manual', 'None', null),
        recorded,
        conditions,
        (mode, record, { p, d }) => {
          const list = [
            ...(p ? [condition('BootImageUpdateProgressing', p)] : []),
            ...(d ? [condition('BootImageUpdateDegraded', d, 'x')] : []),
          ]
          const { verdict } = skewVerdict(state(mode, record, list), floor, '4.22.3')
          const { status } = upgradeable({ mode, recorded: record, conditions: list, floor, newest: '4.22.3' })
          expect(['out-of-skew', 'update-failing'].includes(verdict)).toBe(status === 'False')
        },
      ),
    )
  })
})

describe('what the operator reports', () => {
  const input = { mode: 'Manual' as const, recorded: { ocpVersion: '4.12.0' }, conditions: [], floor, newest: '4.22.3' }

  it('lets a degraded pool hide the skew', () => {
    expect(upgradeable({ ...input, pools: [{ degraded: true, interrupted: true }] }).reason).toBe('DegradedPool')
    expect(upgradeable({ ...input, pools: [{ degraded: false, interrupted: true }] }).reason).toBe('InterruptedBuild')
    const two = [
      { degraded: false, interrupted: true },
      { degraded: true, interrupted: false },
    ]
    expect(upgradeable({ ...input, pools: two }).reason).toBe('InterruptedBuild')
    expect(upgradeable({ ...input, pools: two.reverse() }).reason).toBe('DegradedPool')
    expect(upgradeable({ ...input, pools: [{ degraded: false, interrupted: false }] }).reason).toBe(
      'ClusterBootImageSkewError',
    )
    expect(upgradeable({ ...input, enforced: false }).status).toBe('True')
    expect(upgradeable({ ...input, floor: null }).status).toBe('True')
  })

  it('quotes version, floor and the release’s documentation', () => {
    const { message } = upgradeable(input)
    expect(message).toContain(
      'is using OCP boot image version 4.12.0, which is below the minimum required version 4.13.0.',
    )
    expect(message).toContain('/openshift_container_platform/4.22/html/')
    expect(upgradeable({ ...input, newest: 'next' }).message).toContain('/latest/html/')
    expect(upgradeable({ ...input, recorded: { rhcosVersion: '9.0.20230101-0' } }).message).toContain(
      'RHCOS boot image version 9.0.20230101-0(RHEL version: 9.0), which is below the minimum required RHEL version 9.2.',
    )
  })
})
