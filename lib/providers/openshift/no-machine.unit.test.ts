import { describe, expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { skewRows } from './skew-rows'
import { CONFIG_MAP, objects, SETS } from './testing/samples'

const status = (object: KubeObject, more: object): KubeObject =>
  ({ ...object, status: { ...object.status, ...more } }) as KubeObject
const bare = (providerSpec: object, metadata: object = {}): KubeObject =>
  ({
    ...{ apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', metadata: { name: 'workers', ...metadata } },
    spec: { replicas: 1, template: { metadata: {}, spec: { providerSpec: { value: providerSpec } } } },
  }) as unknown as KubeObject

test('without a machine set the operator records its own release, which tells nothing of an image', () => {
  const found = skewRows(objects('automatic', []), true)
  const why = 'The operator had no machine set to look at; it records its own release then.'
  expect(found.confidence).toEqual({ level: 'unknown', why })
  expect(found.evidence.items[0]).toMatchObject({ source: 'recorded', sure: 'unknown', sentence: why })
  const windows = structuredClone(Object.values(SETS)[0]!) as KubeObject & { spec: { template: { metadata: object } } }
  windows.spec.template.metadata = { labels: { 'machine.openshift.io/os-id': 'Windows' } }
  expect(skewRows(objects('automatic', [windows]), true).confidence).toEqual({ level: 'unknown', why })
})

test('no machine starts from the image of another region, however new', () => {
  const { data } = CONFIG_MAP as unknown as { data: { stream: string } }
  type Stream = { architectures: { x86_64: { images: { aws: { regions: Record<string, { image: string }> } } } } }
  const { regions } = (JSON.parse(data.stream) as Stream).architectures.x86_64.images.aws
  const set = structuredClone(SETS['aws.current']!) as KubeObject & {
    spec: { template: { spec: { providerSpec: { value: { ami: object; placement: { region: string } } } } } }
  }
  const { value } = set.spec.template.spec.providerSpec
  const [other, { image: id }] = Object.entries(regions).find(([name]) => name !== value.placement.region)!
  value.ami = { id }
  expect(skewRows(objects('automatic', [set]), true).nodeRisk).toEqual({
    level: 'likely',
    sentence: `${set.metadata.name} starts machines from an image of another region, ${other}: no new one can start.`,
  })
})

test('so it is with the control plane’s, whose region may be told by its failure domains alone; an id of two regions is of its own', () => {
  const { data } = CONFIG_MAP as unknown as { data: { stream: string } }
  type Regions = Record<string, { image: string }>
  const stream = JSON.parse(data.stream) as { architectures: { x86_64: { images: { aws: { regions: Regions } } } } }
  const { regions } = stream.architectures.x86_64.images.aws
  const { value } = (
    SETS['aws.current']!.spec as { template: { spec: { providerSpec: { value: { placement: { region: string } } } } } }
  ).template.spec.providerSpec
  const { region } = value.placement
  const other = Object.keys(regions).find((name) => name !== region)!
  const plane = (id: string, placement: object) =>
    ({
      ...{
        apiVersion: 'machine.openshift.io/v1',
        kind: 'ControlPlaneMachineSet',
        metadata: { name: 'cluster', uid: 'p' },
      },
      spec: {
        state: 'Active',
        template: {
          machines_v1beta1_machine_openshift_io: {
            failureDomains: { platform: 'AWS', aws: [{ placement: { availabilityZone: `${region}a` } }] },
            spec: { providerSpec: { value: { ...value, ami: { id }, placement } } },
          },
        },
      },
    }) as unknown as KubeObject
  const risk = (id: string, placement: object, configMap = CONFIG_MAP) =>
    skewRows(
      { ...objects('automatic'), configMap, controlPlanes: [plane(id, placement)], controlPlaneArch: 'x86_64' },
      true,
    ).nodeRisk
  for (const placement of [{}, { region }])
    expect(risk(regions[other]!.image, placement)).toEqual({
      level: 'likely',
      sentence: `The control plane’s set starts machines from an image of another region, ${other}: no new one can start.`,
    })
  // Whichever of them comes first.
  regions[other]!.image = regions[region]!.image
  const both = { ...CONFIG_MAP, data: { ...data, stream: JSON.stringify(stream) } } as unknown as KubeObject
  expect(risk(regions[region]!.image, {}, both).level).toBe('no')
})

test('what was told of what is behind an address on bare metal says nothing of what is there now', () => {
  const url = 'https://images.example.com/rhcos.qcow2'
  const base = objects('automatic', [bare({ kind: 'BareMetalMachineProviderSpec', image: { url, checksum: 'x' } })])
  const told = { kind: 'OCPVersion', version: '4.22.0', sure: 'likely', because: 'w had it' } as const
  const infrastructure = status(base.infrastructure!, { platformStatus: { type: 'BareMetal' } })
  const { sets } = skewRows({ ...base, infrastructure, former: new Map([[url, told]]) }, true)
  expect(sets).toMatchObject([{ current: url, dated: null }])
})

describe('bare metal whose Provisioning may not be read, with the mode None', () => {
  const found = (controlPlaneTopology: string) => {
    const base = objects('automatic', [bare({ kind: 'BareMetalMachineProviderSpec' })])
    return skewRows(
      {
        ...base,
        infrastructure: status(base.infrastructure!, { platformStatus: { type: 'BareMetal' }, controlPlaneTopology }),
        machineConfiguration: status(base.machineConfiguration!, { bootImageSkewEnforcementStatus: { mode: 'None' } }),
      },
      true,
    )
  }
  test('starts from the image of the release', () => {
    expect(found('HighlyAvailable').nodeRisk.level).toBe('no')
  })
  test('of a single node that tells nothing: the mode is None there anyway', () => {
    const { nodeRisk, evidence, modeWhy } = found('SingleReplica')
    expect(nodeRisk.level).toBe('unknown')
    expect(evidence.best?.sure).not.toBe('likely')
    expect(modeWhy).not.toContain('bare metal')
  })
})
