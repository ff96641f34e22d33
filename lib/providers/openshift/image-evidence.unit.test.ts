import { describe, expect, test } from 'vitest'
import type { Stream } from '@/lib/domain/boot-images/stream'
import type { BootImage } from '@/lib/domain/boot-images/types'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { dateImage, streamRelease } from './image-evidence'
import type { ClusterVersionFacts } from './readers'
import { releaseImages, type ReleaseImages } from './release-images'

const version = {
  version: '4.22.4',
  newest: '4.22.4',
  history: [
    { state: 'Completed', version: '4.22.4', completionTime: '2026-11-06T10:00:00Z' },
    { state: 'Completed', version: '4.16.3', completionTime: '2024-10-01T10:00:00Z' },
    { state: 'Completed', version: '4.14.8', completionTime: '2024-01-20T10:00:00Z' },
  ],
} as unknown as ClusterVersionFacts
type Entry = [manager: string, time: string, fields: JsonObject]
const by = (...entries: Entry[]): KubeObject => ({
  ...{ apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet' },
  metadata: {
    ...{ name: 'a', uid: 'u', resourceVersion: '1' },
    managedFields: entries.map(([manager, time, fields]) => ({
      ...{ manager, time, operation: 'Update' },
      fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:providerSpec': { 'f:value': fields } } } } },
    })),
  } as never,
})
const leaves = (...keys: string[]): JsonObject => Object.fromEntries(keys.map((key) => [`f:${key}`, {}]))
const AMI = { 'f:ami': { '.': {}, ...leaves('id') } }
const IMAGE = { 'f:image': { '.': {}, ...leaves('publisher', 'offer', 'sku', 'version') } }
const written = (manager: string, time: string, field: string): KubeObject =>
  by([manager, time, field === 'f:ami' ? AMI : field === 'f:image' ? IMAGE : { [field]: {} }])
const NONE: ReleaseImages = { version: '4.22.4', names: new Map(), rhcos: [] }
const image = (current: string): BootImage =>
  ({ state: 'unknown', outcome: 'undecided', current, wanted: null, reason: '' }) as unknown as BootImage
const of = (platform: string, set: KubeObject, current: string) =>
  dateImage(set, image(current), 'x86_64', NONE, version, platform)

describe('who wrote the image, and when', () => {
  test.each([
    ['AWS', 'kubectl', '2024-01-20T09:00:00Z', 'f:ami', '4.14.8'],
    ['AWS', 'machine-config-controller', '2025-01-20T09:00:00Z', 'f:ami', '4.16.3'],
    // A template is replaced under its own name: that the name is the same tells nothing of the image.
    ['VSphere', 'kubectl', '2024-01-20T09:00:00Z', 'f:template', undefined],
    ['VSphere', 'machine-config-controller', '2025-01-20T09:00:00Z', 'f:template', undefined],
  ])('%s, by %s on %s', (platform, manager, time, field, dated) => {
    expect(of(platform, written(manager, time, field), 'image-1')?.version).toBe(dated)
  })
})

describe('among several writers', () => {
  const INSTALLED = '2024-01-20T09:00:00Z'
  const UPDATED = '2025-01-20T09:00:00Z'
  const NOW = '2026-11-27T09:00:00Z'
  const OPERATOR = 'machine-config-controller'
  const PARENT = { 'f:image': {} }
  test.each<[string, string, Entry[], string | undefined]>([
    ['who has the parent alone wrote no image', 'Azure', [['installer', INSTALLED, PARENT], ['kubectl-patch', NOW, IMAGE]], undefined], // prettier-ignore
    ['nor is the parent with a dot more', 'AWS', [['installer', INSTALLED, { 'f:ami': { '.': {} } }], ['kubectl-patch', NOW, AMI]], undefined], // prettier-ignore
    ['no matter in which order they stand', 'AWS', [['kubectl-patch', NOW, AMI], ['installer', INSTALLED, { 'f:ami': {} }]], undefined], // prettier-ignore
    ['nobody has a leaf', 'AWS', [['installer', INSTALLED, { 'f:ami': {} }]], undefined],
    ['the newest counts', 'Azure', [['installer', INSTALLED, { 'f:image': leaves('offer') }], ['kubectl-patch', NOW, { 'f:image': leaves('sku', 'version') }]], undefined], // prettier-ignore
    ['the operator after the installer', 'Azure', [['installer', INSTALLED, { 'f:image': leaves('offer') }], [OPERATOR, UPDATED, { 'f:image': leaves('sku', 'version') }]], '4.16.3'], // prettier-ignore
    ['somebody after the operator', 'Azure', [[OPERATOR, UPDATED, { 'f:image': leaves('sku') }], ['kubectl-patch', NOW, { 'f:image': leaves('version') }]], undefined], // prettier-ignore
    ['a list is owned as one', 'GCP', [['installer', INSTALLED, { 'f:disks': {} }]], '4.14.8'],
  ])('%s', (_, platform, entries, dated) => {
    expect(of(platform, by(...entries), 'acme:x:y:1')?.version).toBe(dated)
  })
})

describe('by its own name', () => {
  test.each([
    ['Azure', 'azureopenshift:aro4:aro_413:413.92.20230310', '4.13.0', 'likely', 'names an image of 4.13'],
    ['Azure', 'redhat:rh-ocp-worker:rh-ocp-worker:4.18.2025031114', '4.18.0', 'likely', 'names an image of 4.18'],
    ['Azure', 'azureopenshift:aro4:420-v2:9.6.20251015', '9.6.20251015-0', 'likely', 'names the image of RHCOS 9.6.20251015, without its build number'], // prettier-ignore
    ['GCP', 'projects/rhcos-cloud/global/images/rhcos-418-94-202511191518-0-gcp-x86-64', '418.94.202511191518-0', 'certain', 'names the image of RHCOS 418.94.202511191518-0'], // prettier-ignore
    // In a project of one's own an image may be called anything.
    ['GCP', 'projects/acme/global/images/rhcos-418-94-202511191518-0-gcp-x86-64', '418.94.202511191518-0', 'likely', 'has an image of another publisher that is called as RHCOS 418.94.202511191518-0'], // prettier-ignore
    ['Azure', 'acme:rhcos:golden:9.6.20251015', '9.6.20251015-0', 'likely', 'has an image of another publisher that is called as RHCOS 9.6.20251015, without its build number'], // prettier-ignore
  ])('%s %s', (platform, current, dated, sure, because) => {
    expect(of(platform, written('kubectl', '2025-01-20T09:00:00Z', 'f:image'), current)).toMatchObject({
      ...{ version: dated, sure, because },
    })
  })
})

describe('beside the images of the release', () => {
  const GCP = (name: string): string => `projects/rhcos-cloud/global/images/rhcos-${name}`
  const [FREE, PAID] = ['azureopenshift:aro4:420-v2:9.6.20251015', 'redhat:rh-ocp-worker:rh-ocp-worker:4.18.2025031114']
  const [publisher, offer, sku, azure] = FREE.split(':')
  const [paidBy, paid, paidSku, paidVersion] = PAID.split(':')
  const arch = (name: string) => ({
    artifacts: {},
    gcp: { release: '', project: 'rhcos-cloud', name: `rhcos-${name}` },
  })
  const stream = {
    name: 'rhel-9',
    architectures: {
      x86_64: {
        ...arch('9-8-20260714-0-gcp-x86-64'),
        azure: {
          'no-purchase-plan': { hyperVGen2: { publisher, offer, sku, version: azure } },
          ocp: { hyperVGen2: { publisher: paidBy, offer: paid, sku: paidSku, version: paidVersion } },
        },
        aws: { 'us-east-1': { release: '', image: 'ami-1' } },
      },
      aarch64: { ...arch('9-8-20260714-0-gcp-aarch64'), aws: { 'us-east-1': { release: '', image: 'ami-arm' } } },
    },
  } as Stream
  test.each([
    ['GCP', GCP('9-8-20260714-0-gcp-x86-64'), '4.22.4', undefined],
    ['GCP', GCP('9-8-20260714-0-gcp-aarch64'), '4.22.4', undefined],
    ['GCP', GCP('9-8-20260601-0-gcp-aarch64'), '9.8.20260601-0', 'older'],
    ['AWS', 'ami-arm', '4.22.4', undefined],
    ['GCP', GCP('9-9-20270101-0-gcp-x86-64'), '9.9.20270101-0', 'newer'],
    ['GCP', GCP('9-8-20260601-0-gcp-x86-64'), '9.8.20260601-0', 'older'],
    ['Azure', FREE, '4.22.4', undefined],
    ['Azure', PAID, '4.22.4', undefined],
    ['Azure', 'azureopenshift:aro4:420-v2:9.9.20270101', '9.9.20270101-0', 'newer'],
    ['AWS', 'ami-1', '4.22.4', undefined],
    ['AWS', 'ami-2', undefined, undefined],
  ])('%s %s', (platform, current, dated, stands) => {
    const map = { found: true, releaseVersion: '4.22.4', stream, problem: undefined } as const
    const excluded = { ...image(current), state: 'excluded', outcome: 'ignore' } as BootImage
    const found = dateImage(by(), excluded, 'x86_64', releaseImages(map, platform), version, platform)
    expect(found?.version).toBe(dated)
    expect(found?.ofRelease).toEqual(stands && { stands, release: '4.22.4' })
  })
})

test('the newest RHCOS release of a stream is so by number', () => {
  const arch = (release: string) => ({ artifacts: { aws: { release, ova: undefined } } })
  const architectures = { x86_64: arch('9.8.20260714-0'), aarch64: arch('9.10.20260714-0') }
  expect(streamRelease({ name: 'rhel-9', architectures })).toBe('9.10.20260714-0')
})
