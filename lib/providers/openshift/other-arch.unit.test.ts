import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows } from './skew-rows'
import { objects, SETS } from './testing/samples'

describe('the image of the release for another architecture', () => {
  const OWN = 'The release’s image for aarch64, and its machines are x86_64: none can start from it.'
  const of = (pass: string | null, release = '4.22.3', id = 'ami-01fdfbdd638f16b5f') => {
    const set = structuredClone(SETS['aws.current']!) as KubeObject & {
      spec: { template: { spec: { providerSpec: { value: { ami: { id: string } } } } } }
    }
    set.spec.template.spec.providerSpec.value.ami = { id }
    const base = objects('automatic', [set])
    const machineConfiguration = structuredClone(base.machineConfiguration!)
    if (pass !== null)
      machineConfiguration.status!.conditions = [
        { type: 'BootImageUpdateProgressing', status: 'False', reason: 'x', message: pass },
        { type: 'BootImageUpdateDegraded', status: 'False', reason: 'x', message: '0 Degraded MAPI MachineSets' },
      ]
    const clusterVersion = structuredClone(base.clusterVersion!)
    clusterVersion.status!.history = [{ state: 'Completed', version: release, completionTime: '2026-01-01T00:00:00Z' }]
    return skewRows({ ...base, machineConfiguration, clusterVersion }, true)
  }

  it('is told as that, and never as one of somebody’s own', () => {
    const skipped = of('Reconciled 0 of 1 MAPI MachineSets (1 skipped)')
    expect(skipped.sets[0]).toMatchObject({ state: 'outdated', outcome: 'skip', datedSure: 'certain' })
    expect(skipped.sets[0]!.reason).toBe(`${OWN} The operator of this release does not recognise it and skips it: update it by hand.`) // prettier-ignore
    expect(of('Reconciled 1 of 1 MAPI MachineSets').sets[0]).toMatchObject({ state: 'outdated', outcome: 'update', reason: OWN }) // prettier-ignore
    const open = of('Reconciled 0 of 0 MAPI MachineSets').sets[0]!
    expect(open).toMatchObject({ state: 'outdated', outcome: 'undecided', reason: OWN })
    expect(skipped.nodeRisk.sentence).toContain('an image for aarch64, which they are not')
  })

  it('is replaced from 5.1 on, where the operator asks EC2 whose it is', () => {
    const unsaid = 'Reconciled 0 of 0 MAPI MachineSets'
    expect(of(unsaid, '5.1.0').sets[0]).toMatchObject({ state: 'outdated', outcome: 'update', reason: OWN })
    // That of another region is none that EC2 finds in its own.
    expect(of(unsaid, '5.1.0', 'ami-038d5ba7617daac0c').sets[0]).toMatchObject({ outcome: 'undecided' })
  })
})
