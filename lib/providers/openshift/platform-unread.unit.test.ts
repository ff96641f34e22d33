import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { whatFollows } from '@/lib/domain/skew/follows'
import { skewRows } from './skew-rows'
import { objects, SCENARIOS, SETS } from './testing/samples'

describe('where Infrastructure cannot be read', () => {
  const unread = (scenario: string, sets: KubeObject[] = []) =>
    skewRows(objects(scenario, sets, { infrastructure: undefined }), true)

  it('the platform is not known, and no set fails or is left alone by that', () => {
    const { platform, sets, evidence, managed } = unread('automatic', [SETS['aws.current']!, SETS['gcp.outdated']!])
    expect(platform).toBeNull()
    for (const set of sets) {
      expect(set).toMatchObject({ state: 'unknown', outcome: 'not-known', managed: true })
      expect(set.reason).toBe('Which platform it is cannot be read: Infrastructure/cluster is missing or does not say it, or Drydock may not read it.') // prettier-ignore
    }
    expect(evidence.sets).toMatchObject({ failing: [], skipped: [] })
    expect(managed.words).toBe('all machine sets')
  })

  it('so it is where Infrastructure does not say it', () => {
    const sets = ['aws.current', 'gcp.outdated'].map((name) => SETS[name]!)
    const said: JsonObject[] = [{ infrastructureName: 'spar-p0r7n' }, { platformStatus: {} }]
    for (const status of said) {
      const infrastructure = { ...SCENARIOS.automatic!.infrastructure, status }
      const rows = skewRows(objects('automatic', sets, { infrastructure }), true)
      expect(rows).toMatchObject({ platform: null, evidence: { sets: { failing: [], skipped: [] } } })
      for (const set of rows.sets) {
        expect(set).toMatchObject({ state: 'unknown', outcome: 'not-known', managed: true })
        expect(set.reason).toMatch(/^Which platform it is cannot be read: /)
      }
    }
  })

  it('what the operator says of a set stands beside that', () => {
    const base = objects('automatic', [SETS['aws.current']!], { infrastructure: undefined })
    const machineConfiguration = structuredClone(base.machineConfiguration!)
    const { name } = SETS['aws.current']!.metadata
    const words =
      'failed to fetch infra object during machineset sync: infrastructure.config.openshift.io "cluster" not found'
    machineConfiguration.status!.conditions = [
      {
        ...{ type: 'BootImageUpdateDegraded', status: 'True', reason: 'x' },
        message: `1 Degraded MAPI MachineSets | 0 Degraded ControlPlaneMachineSets | 0 Degraded CAPI MachineSets | 0 CAPI MachineDeployments | Error(s): error syncing MAPI MachineSet ${name}: failed to reconcile machineset ${name}, err: ${words}`,
      },
    ]
    const [set] = skewRows({ ...base, machineConfiguration }, true).sets
    expect(set).toMatchObject({ outcome: 'error' })
    expect(set!.reason).toContain(words)
  })

  it('it is not told as one on which no boot image is updated', () => {
    expect(unread('manual-default-install-version').modeWhy).toBe(
      'Which platform it is cannot be read. Where the operator does not update all machine sets there, it records the version that the cluster was installed with.',
    )
    expect(unread('automatic').modeWhy).toBe('Which platform it is cannot be read, and so not why the operator arrived at Automatic.') // prettier-ignore
    // An operator that has said nothing yet.
    const base = objects('automatic', [], { infrastructure: undefined })
    const { status: _, ...machineConfiguration } = base.machineConfiguration!
    expect(skewRows({ ...base, machineConfiguration }, true)).toMatchObject({
      ...{ managedMode: 'not-told', managed: { words: 'not told: which platform it is cannot be read' } },
    })
  })

  it('a return to automatic is not foretold as on a platform that the operator leaves alone', () => {
    const { evidence, state, floor, version } = unread('manual-in-range')
    const unsaid = { ...state!, managers: undefined }
    const { sentences } = whatFollows({ action: 'automatic' }, { ...evidence, state: unsaid, floor, release: version })
    expect(sentences.join(' ')).toContain('Where the operator updates boot images on this platform, it arrives at Automatic instead.') // prettier-ignore
  })
})
