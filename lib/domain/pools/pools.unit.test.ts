import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstToExpire, leftOf } from './certificates'
import { drainOf } from './drain'
import { isUnavailable, phaseOf } from './node-phase'
import { certificateWarning, notPausable, pauseView, resumeView } from './pause-risk'
import { atOnce, updatedNow } from './progress'
import { poolState } from './state'
import { currentStep, stepsDone, stepsOf } from './steps'
import { stuckFrom } from './stuck'
import { PHASES, type ConfigNode, type Pool } from './types'

const pool = (more: Partial<Pool> = {}): Pool => ({
  name: 'worker',
  paused: false,
  maxUnavailable: 1,
  counts: { machines: 6, updated: 6, ready: 6, unavailable: 0, degraded: 0 },
  currentConfig: 'b',
  desiredConfig: 'b',
  conditions: [{ type: 'Updated', status: 'True' }],
  certificates: [],
  pending: false,
  required: false,
  ...more,
})
const node = (more: Partial<ConfigNode> = {}): ConfigNode => ({
  name: 'n',
  pool: 'worker',
  currentConfig: 'b',
  desiredConfig: 'b',
  ...{ currentImage: null, desiredImage: null },
  state: 'Done',
  reason: null,
  draining: false,
  ready: true,
  pressure: [],
  schedulable: true,
  steps: null,
  ...more,
})
const RELEASE = { wanted: '4.22.4', desired: '4.22.4' as string | null, clusterUpdating: false }
const behind = { counts: { machines: 6, updated: 2, ready: 2, unavailable: 1, degraded: 0 }, currentConfig: 'a' }
const c = (type: string, status: string, message = '', lastTransitionTime = '2026-11-21T07:00:00Z') => ({
  ...{ type, status, message, lastTransitionTime },
})

describe('the phase of a node', () => {
  it.each<[string, Partial<ConfigNode>, Partial<Pool>, string]>([
    ['on the target and done', {}, {}, 'updated'],
    ['on the target, but the daemon works', { state: 'Working' }, {}, 'updating'],
    ['old, and not told yet', { currentConfig: 'a', desiredConfig: 'a' }, {}, 'pending'],
    ['old, in a paused pool', { currentConfig: 'a', desiredConfig: 'a' }, { paused: true }, 'paused'],
    ['told, not begun', { currentConfig: 'a' }, {}, 'updating'],
    ['told, in a pool that was paused since', { currentConfig: 'a' }, { paused: true }, 'updating'],
    ['draining', { currentConfig: 'a', state: 'Working', draining: true }, {}, 'draining'],
    ['rebooting', { currentConfig: 'a', state: 'Rebooting' }, {}, 'rebooting'],
    [
      'rebooted, and not said by its daemon yet',
      { currentConfig: 'a', state: 'Rebooting', steps: [c('RebootedNode', 'True')] },
      {},
      'updating',
    ],
    ['degraded by its daemon', { currentConfig: 'a', state: 'Degraded' }, {}, 'degraded'],
    ['unreconcilable', { state: 'Unreconcilable' }, {}, 'degraded'],
    ['degraded by its MachineConfigNode', { steps: [c('NodeDegraded', 'True', 'no')] }, {}, 'degraded'],
    ['on its way to the config before the newest', { currentConfig: 'a', desiredConfig: 'aa' }, {}, 'updating'],
    ['current and desired equal, the target another', { currentConfig: 'aa', desiredConfig: 'aa' }, {}, 'pending'],
    ['nothing known of it', { currentConfig: null, desiredConfig: null, state: null }, {}, 'pending'],
  ])('%s', (_, of, at, phase) => {
    expect(phaseOf(node(of), pool(at))).toBe(phase)
  })

  it('is one of the phases, and never updated off the target', () => {
    const config = fc.constantFrom('a', 'b', null)
    const any = fc.record({
      currentConfig: config,
      desiredConfig: config,
      state: fc.constantFrom('Done', 'Working', 'Rebooting', 'Degraded', 'Odd', null),
      draining: fc.boolean(),
      paused: fc.boolean(),
      target: config,
    })
    fc.assert(
      fc.property(any, ({ paused, target, ...of }) => {
        const phase = phaseOf(node(of), { paused, desiredConfig: target })
        expect(PHASES).toContain(phase)
        if (phase === 'updated') expect(of.currentConfig).toBe(target)
        if (phase === 'paused') expect(paused).toBe(true)
      }),
    )
  })

  it.each<[string, Partial<ConfigNode>, boolean]>([
    ['through and ready', {}, false],
    ['not Ready', { ready: false }, true],
    ['under pressure', { pressure: ['DiskPressure'] }, true],
    ['cordoned by somebody', { schedulable: false }, true],
    ['told, not begun', { currentConfig: 'a' }, true],
    ['its daemon works', { state: 'Working' }, true],
    ['failed, and usable', { currentConfig: 'a', state: 'Degraded' }, false],
    ['failed at the config that it has', { state: 'Degraded' }, true],
    ['failed at another image of the same config', { desiredImage: 'new', state: 'Degraded' }, true],
    ['failed, and cordoned', { currentConfig: 'a', state: 'Degraded', schedulable: false }, true],
  ])('counts against maxUnavailable: %s', (_, of, is) => {
    expect(isUnavailable(node(of))).toBe(is)
  })
})

describe('steps', () => {
  it('are read out of order: the latest that is open is where it is', () => {
    const steps = stepsOf([
      c('UpdatePrepared', 'True'),
      c('Cordoned', 'False'),
      c('Drained', 'True'),
      c('AppliedFilesAndOS', 'Unknown', 'writing'),
    ])
    expect(steps?.map(({ type, state }) => [type, state])).toEqual([
      ['UpdatePrepared', 'done'],
      ['Cordoned', 'skipped'],
      ['Drained', 'done'],
      ['AppliedFilesAndOS', 'running'],
      ['RebootedNode', 'ahead'],
      ['Resumed', 'ahead'],
      ['Uncordoned', 'ahead'],
    ])
    expect(currentStep(steps)).toMatchObject({ type: 'AppliedFilesAndOS', message: 'writing' })
    expect(stepsDone(steps)).toEqual({ done: 2, of: 6 })
  })

  it('of an update without reboot name the reload, and of image mode the OS apart', () => {
    const reload = stepsOf([c('UpdatePrepared', 'True'), c('UpdatePostActionComplete', 'Unknown', 'reloading CRI-O')])
    expect(reload?.map((s) => s.type)).toContain('UpdatePostActionComplete')
    expect(reload?.map((s) => s.type)).not.toContain('RebootedNode')
    const image = stepsOf([
      c('UpdatePrepared', 'Unknown'),
      c('AppliedFiles', 'False'),
      c('AppliedOSImage', 'False'),
      c('ImagePulledFromRegistry', 'False'),
    ])
    expect(image?.map((s) => s.type)).toEqual([
      ...[
        'UpdatePrepared',
        'ImagePulledFromRegistry',
        'Cordoned',
        'Drained',
        'AppliedFiles',
        'AppliedOSImage',
        'RebootedNode',
        'Resumed',
        'Uncordoned',
      ],
    ])
  })

  it.each<[string, Parameters<typeof stepsOf>[0]]>([
    ['no MachineConfigNode', null],
    ['none reported', []],
    ['through', [c('Updated', 'True'), c('Drained', 'False')]],
    ['nothing begun', [c('Updated', 'False'), c('UpdatePrepared', 'False')]],
  ])('there are none: %s', (_, conditions) => {
    expect(stepsOf(conditions)).toBeNull()
    expect(currentStep(null)).toBeNull()
  })

  it.each([
    ['Update Failed compatibility validation. MachineConfigs a and b are not compatible.', 'failed'],
    ['Error: Node Drain has not succeeded. Error is: x', 'failed'],
    ['Upgrade requires a reboot.', 'running'],
    ['Applying files and new OS config to node. OS will not need an update.', 'running'],
  ])('%s', (message, state) => {
    expect(stepsOf([c('UpdatePrepared', 'Unknown', message)])?.[0]?.state).toBe(state)
  })
})

describe('a drain that waits', () => {
  const failing = (error: string) =>
    drainOf(
      [
        c('Cordoned', 'True', '', '2026-11-21T06:00:00Z'),
        c('Drained', 'Unknown', `Error: Node Drain has not succeeded. Error is: ${error}`),
      ],
      true,
    )!

  it.each<[string, string, string]>([
    [
      'error when evicting pods/"db-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.',
      'budget',
      'A disruption budget keeps shop/db-0 where it is.',
    ],
    [
      'error when evicting pods/"db-0" -n "shop": global timeout reached: 1m30s',
      'evicting',
      'shop/db-0 could not be moved away in time.',
    ],
    [
      '[error when evicting pods/"db-0" -n "shop": global timeout reached: 1m30s, error when waiting for pod "web-1" in namespace "front" to terminate: global timeout reached: 1m30s]',
      'evicting',
      'shop/db-0 and 1 other could not be moved away in time.',
    ],
    [
      'error when waiting for pod "web-1" in namespace "front" to terminate: global timeout reached',
      'slow',
      'front/web-1 was told to end and is still there.',
    ],
    ['pod shop/db-0 is protected by a disruption budget', 'budget', 'A disruption budget keeps shop/db-0 where it is.'],
  ])('%s', (error, why, sentence) => {
    expect(failing(error)).toMatchObject({ failing: true, sentence, since: '2026-11-21T06:00:00Z' })
    expect(failing(error).holdouts[0]?.why).toBe(why)
    expect(failing(error).words).toContain(error)
  })

  it('says so where nothing is known of the pod, and nothing where there is no drain', () => {
    expect(failing('connection refused')).toMatchObject({
      holdouts: [],
      sentence: 'Its drain has not succeeded; it is tried again.',
    })
    expect(drainOf([c('Drained', 'True')], false)).toBeNull()
    expect(drainOf(null, true)).toMatchObject({ failing: false, words: null, since: null })
  })

  it('counts as stuck when the controller itself slows down, other steps later, a degraded node at once', () => {
    const since = Date.parse('2026-11-21T06:00:00Z')
    const step = stepsOf([c('Drained', 'Unknown')])!.find(({ type }) => type === 'Drained')!
    expect(stuckFrom('draining', step, failing('x'), since)).toBe(since + 10 * 60_000)
    expect(stuckFrom('draining', step, drainOf(null, true), since)).toBe(since + 30 * 60_000)
    expect(stuckFrom('degraded', null, null, since)).toBe(since)
    expect(stuckFrom('pending', null, null, since)).toBeNull()
    expect(stuckFrom('updating', null, null, null)).toBeNull()
  })
})

describe('a pool', () => {
  it.each<[string, Partial<Pool>, Partial<typeof RELEASE>, string, string]>([
    ['all through', {}, {}, 'updated', 'All 6 nodes are up to date with 4.22.4.'],
    [
      'one node',
      { counts: { machines: 1, updated: 1, ready: 1, unavailable: 0, degraded: 0 } },
      {},
      'updated',
      'Its node is up to date with 4.22.4.',
    ],
    [
      'rolling',
      { ...behind, conditions: [c('Updated', 'False')] },
      {},
      'updating',
      '2 of 6 nodes have the new configuration of 4.22.4, 1 is out of work. At most 1 at once.',
    ],
    [
      'the new release is not rendered yet',
      {},
      { wanted: '4.23.1' },
      'waiting',
      'The cluster is on its way to 4.23.1; this pool’s configuration is still that of 4.22.4. None of its nodes has begun.',
    ],
    [
      'paused, nothing waits',
      { paused: true },
      {},
      'paused',
      'Paused. All 6 nodes are up to date; whatever comes next waits.',
    ],
    [
      'paused and behind',
      { ...behind, paused: true, conditions: [c('Updated', 'False')] },
      {},
      'behind',
      'Paused and behind: 4 of 6 nodes stay as they are while a configuration of 4.22.4 waits.',
    ],
    [
      'no node',
      { counts: { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 } },
      {},
      'updated',
      'No node belongs to it.',
    ],
    ['silence', { conditions: [] }, {}, 'unknown', 'The operator has not said anything about this pool yet.'],
    [
      'not to be rendered',
      { conditions: [c('RenderDegraded', 'True', 'parsing Ignition config failed')] },
      {},
      'degraded',
      'A newer configuration cannot be rendered: parsing Ignition config failed.',
    ],
    [
      'a degraded node',
      {
        counts: { ...behind.counts, degraded: 1 },
        conditions: [
          c('NodeDegraded', 'True', 'Node infra-1 is reporting: "failed to drain node: infra-1 after 1 hour"'),
          c('Degraded', 'True'),
        ],
      },
      {},
      'degraded',
      '1 of 6 nodes cannot take up the configuration. infra-1: failed to drain node: infra-1 after 1 hour',
    ],
    ['degraded and nothing said', { conditions: [c('Degraded', 'True')] }, {}, 'degraded', 'It is degraded.'],
    [
      'an image is built first',
      { ...behind, conditions: [c('Updating', 'True', 'Pool is waiting for OS image build to start (mosb: x)')] },
      {},
      'updating',
      '2 of 6 nodes have the new configuration of 4.22.4, 1 is out of work. Pool is waiting for OS image build to start (mosb: x).',
    ],
  ])('%s', (_, of, releases, state, sentence) => {
    expect(poolState(pool(of), { ...RELEASE, ...releases })).toMatchObject({ state, sentence })
  })

  it('counts nobody for a release that its config was not made for', () => {
    expect(updatedNow(pool(), RELEASE)).toBe(6)
    expect(updatedNow(pool(), { ...RELEASE, wanted: '4.23.1' })).toBe(0)
    expect(updatedNow(pool(), { ...RELEASE, desired: null })).toBe(6)
    expect(updatedNow(pool(), { ...RELEASE, desired: null, clusterUpdating: true })).toBe(0)
    expect(updatedNow(pool({ pending: true, currentConfig: 'a' }), RELEASE)).toBe(0)
  })

  it.each<[Pool['maxUnavailable'], number, number | null]>([
    [null, 40, 1],
    [3, 40, 3],
    [0, 40, 1],
    ['10%', 45, 4],
    ['10%', 4, 1],
    ['100%', 4, 4],
    ['many', 4, null],
    [1.5, 4, null],
  ])('maxUnavailable %s of %i nodes is %s', (maxUnavailable, machines, expected) => {
    expect(atOnce(pool({ maxUnavailable }), machines)).toBe(expected)
  })

  it('of the arbiter does one at a time', () => {
    expect(atOnce({ name: 'arbiter', maxUnavailable: '100%' }, 3)).toBe(1)
  })
})

describe('pausing', () => {
  const now = Date.parse('2026-11-21T07:30:00Z')
  const facts = { ...RELEASE, now, clusterUpdating: false, underWay: 1 }
  const certificate = (expiry: string) => [
    { bundle: 'KubeAPIServerServingCAData', subject: 'CN=kube-apiserver-to-kubelet-signer,OU=openshift', expiry },
  ]

  it('is never offered for the control plane', () => {
    expect(notPausable({ name: 'master' })).toContain('never paused')
    expect(notPausable({ name: 'worker' })).toBeNull()
  })

  it('warns of certificates, of an update that would wait, and of one under way', () => {
    const risky = pool({ ...behind, required: true, certificates: certificate('2026-12-20T00:00:00Z') })
    const { follows, warnings } = pauseView(risky, { ...facts, clusterUpdating: true })
    expect(warnings.join(' ')).toMatch(
      /required for upgrades.*being updated now.*kube-apiserver-to-kubelet-signer, expires on 2026-12-20, in 28 days/,
    )
    expect(follows.join(' ')).toMatch(/3 nodes without.*1 node that has begun goes through/)
    expect(pauseView(pool(), facts).warnings).toEqual([])
    const last = { ...behind, counts: { ...behind.counts, updated: 5 } }
    expect(pauseView(pool(last), facts).follows[0]).toContain('No node is left that has not begun')
    expect(pauseView(pool(), { ...facts, underWay: 0 }).follows[0]).toContain('All nodes are up to date')
  })

  it.each<[string, RegExp | null]>([
    ['2027-11-20T00:00:00Z', /expires on 2027-11-20, and is rotated/],
    ['2026-11-20T00:00:00Z', /expired on 2026-11-20/],
    ['0001-01-01T00:00:00Z', null],
    ['soon', null],
  ])('certificate of %s', (expiry, words) => {
    const warning = certificateWarning(pool({ certificates: certificate(expiry) }), now)
    if (words) expect(warning).toMatch(words)
    else expect(warning).toBeNull()
  })

  it('goes by the certificate that expires first', () => {
    const two = [...certificate('2027-01-01T00:00:00Z'), ...certificate('2026-12-01T00:00:00Z')]
    expect(firstToExpire(two)?.expiry).toBe('2026-12-01T00:00:00Z')
    expect(leftOf(two[1]!, now)).toEqual({ days: 9, soon: true })
  })

  it('resuming says how many begin, and how many at once', () => {
    expect(resumeView(pool({ ...behind, paused: true, maxUnavailable: '50%' }), facts).follows[0]).toBe(
      '3 nodes begin to take up the newest configuration (4.22.4), at most 3 at a time, zone after zone.',
    )
    // What has begun does not begin by it.
    const last = pool({ ...behind, counts: { ...behind.counts, updated: 5 }, paused: true })
    expect(resumeView(last, facts).follows[0]).toBe(
      'No node begins: 1 node that has begun goes through to the end, paused or not.',
    )
  })
})

it.each<[string, Partial<ConfigNode>, string | null | undefined, string]>([
  ['not told yet', { currentImage: 'x', desiredImage: 'x' }, 'y', 'pending'],
  ['told', { currentImage: 'x', desiredImage: 'y' }, 'y', 'updating'],
  ['through', { currentImage: 'y', desiredImage: 'y' }, 'y', 'updated'],
  ['back to that of the release', { currentImage: 'x', desiredImage: null }, null, 'updating'],
  ['its image is not known', { currentImage: 'x', desiredImage: 'x' }, undefined, 'updated'],
  ['on its way to one that is not known', { currentImage: 'x', desiredImage: 'y' }, undefined, 'updating'],
])('a node whose OS image is built: %s', (_, more, image, phase) =>
  expect(phaseOf(node(more), { paused: false, desiredConfig: 'b', image })).toBe(phase),
)
