import { describe, expect, it } from 'vitest'
import { setChanges } from '@/lib/domain/boot-images/managed/preview'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows } from './skew-rows'
import { objects, SETS } from './testing/samples'

type Change = (set: KubeObject, clusterVersion: KubeObject) => void
const row = (release: string, change: Change, name = 'gcp.current-arm64') => {
  const set = structuredClone(SETS[name]!)
  const base = objects('automatic-progressing', [set])
  const clusterVersion = structuredClone(base.clusterVersion!)
  const history = [{ state: 'Completed', version: release, completionTime: '2026-01-01T00:00:00Z' }]
  clusterVersion.status = { ...clusterVersion.status, history }
  change(set, clusterVersion)
  return skewRows({ ...base, clusterVersion }, true).sets[0]!
}

describe('a set that says no architecture, in a release for several', () => {
  const unsaid: Change = (set, version) => {
    delete set.metadata.annotations
    version.status!.desired = { version: '4.99.0', architecture: 'Multi' }
  }
  const TAKEN = /takes it for the control plane’s, x86_64: where it is for another, annotate it with capacity/
  it.each<[string, string, RegExp]>([
    ['4.18.5', 'unknown update', TAKEN],
    ['4.19.7', 'unknown update', TAKEN],
    [
      '4.20.3',
      'unknown not-known',
      /from before 4\.20, or of 4\.20 from before January 2026, takes it for the control plane’s and writes/,
    ],
    ['4.21.3', 'unknown skip', /leaves its image as it is: annotate it/],
    ['4.22.3', 'unknown skip', /leaves its image as it is: annotate it/],
  ])('%s', (release, expected, words) => {
    const found = row(release, unsaid)
    expect(`${found.state} ${found.outcome}`).toBe(expected)
    expect(found.reason).toMatch(words)
    // What its machines are is not known.
    expect([found.arch, found.reason]).toEqual([null, expect.not.stringContaining('none can start')])
  })

  it('is told before it is managed as well', () => {
    const all = [
      { apiGroup: 'machine.openshift.io', resource: 'machinesets', selection: { mode: 'All' } },
    ] as unknown as Parameters<typeof setChanges>[1]
    const found = { ...row('4.19.7', unsaid), kind: 'MachineSet' as const }
    const [change] = setChanges([found], [], all, null)
    expect(change).toMatchObject({ fate: 'changes', words: expect.stringMatching(TAKEN) as string })
  })

  it.each(['4.19.7', '4.20.3', '4.22.3'])('of one architecture, in %s, it is the control plane’s', (release) => {
    const found = row(release, (set) => delete set.metadata.annotations, 'gcp.current')
    expect(found).toMatchObject({ state: 'current', outcome: 'unchanged', arch: 'x86_64', reason: '' })
  })
})

describe('the label of an OS stream', () => {
  const labelled: Change = (set) =>
    (set.metadata.labels = { ...set.metadata.labels, 'machineconfiguration.openshift.io/osstream': 'rhel-10' })
  it.each<[string, string]>([
    ['4.19.7', 'outdated update'],
    ['4.20.3', 'outdated update'],
    ['4.21.3', 'outdated update'],
    ['4.22.3', 'excluded ignore'],
  ])('%s', (release, expected) => {
    const found = row(release, labelled, 'gcp.outdated')
    expect(`${found.state} ${found.outcome}`).toBe(expected)
    expect(found.reason.includes('OS stream')).toBe(release === '4.22.3')
  })
})
