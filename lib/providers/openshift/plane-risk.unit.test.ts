import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { skewRows } from './skew-rows'
import { CONFIG_MAP, objects, SCENARIOS, SETS } from './testing/samples'

const OLD = 'projects/rhcos-cloud/global/images/rhcos-48-84-202208021106-0-gcp-x86-64'
const infrastructure = {
  ...SCENARIOS.automatic!.infrastructure,
  status: {
    controlPlaneTopology: 'HighlyAvailable',
    infrastructureName: 'spar-p0r7n',
    platformStatus: { type: 'GCP' },
  },
}

/** The control plane's set of a cluster on GCP; `image`: null is the one that the release wants. */
function plane(image: string | null, state = 'Active') {
  const made = structuredClone(SETS['gcp.current']!)
  const { spec } = (made.spec as { template: { spec: { providerSpec: { value: { disks: { image: string }[] } } } } })
    .template
  if (image) spec.providerSpec.value.disks[0]!.image = image
  made.kind = 'ControlPlaneMachineSet'
  made.metadata = { ...made.metadata, name: 'cluster', uid: 'p' }
  made.spec = { state, template: { machines_v1beta1_machine_openshift_io: { spec: spec as unknown as JsonObject } } }
  return made
}
const beside = (...controlPlanes: ReturnType<typeof plane>[]) =>
  skewRows(
    {
      ...objects('automatic', [SETS['gcp.current']!], { infrastructure, configMap: CONFIG_MAP }),
      controlPlanes,
    },
    true,
  )

test('a control plane’s set whose image is below the floor puts new machines at risk', () => {
  expect(beside(plane(OLD)).nodeRisk).toEqual({
    level: 'likely',
    sentence:
      'The control plane’s set starts machines from an image below 4.13.0, the oldest that its release accepts: a new machine may never join.',
  })
})

test('one whose image nothing dates leaves it open', () => {
  const own = 'projects/acme/global/images/golden'
  expect(beside(plane(own)).nodeRisk).toMatchObject({
    level: 'unknown',
    sentence: expect.stringContaining('the image of the control plane’s set') as string,
  })
})

test('the record’s evidence passes over it, as the operator does, and says so', () => {
  const [alone, old] = [beside(), beside(plane(OLD))]
  const isOf = ({ source }: { source: string }) => source === 'control-plane'
  expect([old.evidence.best, old.evidence.items.filter((item) => !isOf(item)), old.confidence, old.flaggedWhy]).toEqual(
    [alone.evidence.best, alone.evidence.items, alone.confidence, alone.flaggedWhy],
  )
  const [told] = old.evidence.items.filter(isOf)
  expect(told?.sentence).toMatch(/^The control plane’s set names .*; the operator’s record passes over it\.$/)
  expect(told).not.toHaveProperty('image')
  expect(beside(plane(null)).evidence.items.filter(isOf)).toEqual([])
})

test('one that has the release’s image, and one that makes no machines, add nothing', () => {
  for (const set of [plane(null), plane(OLD, 'Inactive')]) expect(beside(set).nodeRisk).toEqual(beside().nodeRisk)
})
