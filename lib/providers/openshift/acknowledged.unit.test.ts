import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { at } from './loose'
import { skewRows } from './skew-rows'
import { objects, SETS } from './testing/samples'

const manual = (ocpVersion: string) => ({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } })

/** What is acknowledged, and what the operator has on record; its one set starts from an image of 4.13. */
function rowsOf(acknowledged: string, recorded: string) {
  const set = structuredClone(SETS['gcp.outdated']!)
  const value = at(set, 'spec', 'template', 'spec', 'providerSpec', 'value') as JsonObject
  const [disk] = value.disks as JsonObject[]
  disk!.image = 'projects/rhcos-cloud/global/images/rhcos-413-92-202305021736-0-gcp-x86-64'
  const base = objects('automatic', [set])
  const infrastructure = { ...base.infrastructure!, status: { platformStatus: { type: 'GCP' } } } as KubeObject
  const machineConfiguration = structuredClone(base.machineConfiguration!)
  const machineManagers = [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'None' } }]
  Object.assign(machineConfiguration.spec as object, {
    bootImageSkewEnforcement: manual(acknowledged),
    managedBootImages: { machineManagers },
  })
  Object.assign(machineConfiguration.status as object, { bootImageSkewEnforcementStatus: manual(recorded) })
  return skewRows({ ...base, machineConfiguration, infrastructure }, true)
}
const INSTALLED = '4.14.8'

test('what the operator recorded by itself was not acknowledged, and no evidence is held against it', () => {
  const { judgement, evidence, flaggedWhy } = rowsOf('4.12.0', INSTALLED)
  expect(judgement.sentence).toContain(`Recorded by the operator: ${INSTALLED}`)
  expect(evidence.items[0]!.sentence).toBe(
    `The operator recorded ${INSTALLED}, the version that the cluster was installed with.`,
  )
  expect(flaggedWhy).toBeNull()
})

test('what was acknowledged is told so, and held against the evidence once the operator has taken it up', () => {
  const { judgement, evidence, flaggedWhy } = rowsOf('4.14.9', '4.14.9')
  expect(judgement.sentence).toContain('Acknowledged: 4.14.9')
  expect(evidence.items[0]!.sentence).toContain('4.14.9 was acknowledged')
  expect(flaggedWhy).toContain('4.14.9 was acknowledged as the oldest boot image')
})

test('of an acknowledgement before, which stands until the operator takes up the new one, no installation is told', () => {
  const { evidence, flaggedWhy } = rowsOf('4.12.0', '4.14.9')
  expect(evidence.items[0]!.sentence).toContain('4.14.9 was acknowledged')
  expect(flaggedWhy).toBeNull()
})
