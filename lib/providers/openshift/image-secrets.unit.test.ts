import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { MASK, withoutSecrets } from '@/lib/domain/changes/secrets'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeObject } from '@/lib/kubernetes/types'
import { machineRow } from './machine'
import { skewRows } from './skew-rows'
import { objects } from './testing/samples'

beforeAll(() => {
  process.env.DRYDOCK_KEY = randomBytes(32).toString('base64')
})

const API = { apiVersion: 'machine.openshift.io/v1beta1' }
const metadata = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const secret = 'https://provision:s3cret-pw@images.corp/rhcos.qcow2'
const signed = 'https://images.corp/rhcos.qcow2?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE&X-Amz-Signature=0123456789abcdef'

const rowsOf = (platform: string, value: JsonObject) => {
  const base = objects('automatic', [
    {
      ...{ ...API, kind: 'MachineSet', metadata: { ...metadata, name: 'w', namespace: 'openshift-machine-api' } },
      spec: { replicas: 1, template: { metadata: {}, spec: { providerSpec: { value } } } },
    } as unknown as KubeObject,
  ])
  const status = { platformStatus: { type: platform }, controlPlaneTopology: 'HighlyAvailable' }
  const rows = skewRows({ ...base, infrastructure: { ...base.infrastructure!, status } as KubeObject }, true)
  const spec = { providerSpec: { value } }
  const object = { ...API, kind: 'Machine', metadata: { ...metadata, name: 'm' }, spec } as unknown as KubeObject
  return { rows, machine: machineRow('c', object, undefined, Date.now()).machine! }
}

const asked = 'https://t0ken-s3cret-pw@images.corp/rhcos.qcow2?k=0123456789abcdef#s3cret-pw'
const plain = 'https://images.corp/rhcos.qcow2'

test.each<[string, string, JsonObject]>([
  ['BareMetal', secret, { kind: 'BareMetalMachineProviderSpec', image: { url: secret, checksum: 'x' } }],
  ['BareMetal', signed, { kind: 'BareMetalMachineProviderSpec', image: { url: signed, checksum: 'x' } }],
  ['BareMetal', asked, { kind: 'BareMetalMachineProviderSpec', image: { url: asked, checksum: 'x' } }],
  ['VSphere', secret, { kind: 'VSphereMachineProviderSpec', template: secret, workspace: {} }],
  ['AWS', secret, { kind: 'AWSMachineProviderConfig', ami: { id: secret } }],
  ['Azure', signed, { kind: 'AzureMachineProviderSpec', image: { resourceID: signed } }],
  ['GCP', secret, { kind: 'GCPMachineProviderSpec', disks: [{ boot: true, image: secret }] }],
])('%s: a credential in what a set and its machines start from is in neither row: %s', (platform, image, value) => {
  const { rows, machine } = rowsOf(platform, value)
  expect(rows.sets[0]!.current).toMatch(/ \(digest [0-9a-f]{12}\)$/)
  const [who, what] = [image.includes('@') ? `${MASK}@` : '', image.includes('?') ? `?${MASK}` : '']
  expect(rows.sets[0]!.current!.replace(/ \(digest .*/, '')).toBe(`https://${who}images.corp/rhcos.qcow2${what}`)
  expect(withoutSecrets(rows.sets[0]!.current!)).toBe(rows.sets[0]!.current)
  expect(machine.bootImage).toBe(rows.sets[0]!.current)
  expect(JSON.stringify([rows, machine])).not.toMatch(/s3cret-pw|AKIAIOSFODNN7EXAMPLE|0123456789abcdef/)
})

test('an address without either is kept as it is', () => {
  expect(rowsOf('BareMetal', { kind: 'BareMetalMachineProviderSpec', image: { url: plain } }).machine.bootImage).toBe(
    plain,
  )
})

test('two images that differ only behind what is masked are two, for sets and machines alike', () => {
  const of = (file: string) => {
    const url = `https://images.corp/get?token=s3cret-pw&file=${file}`
    const { rows, machine } = rowsOf('BareMetal', { kind: 'BareMetalMachineProviderSpec', image: { url } })
    expect(machine.bootImage).toBe(rows.sets[0]!.current)
    return machine.bootImage
  }
  expect(of('rhcos-413.qcow2')).toBe(of('rhcos-413.qcow2'))
  expect(of('rhcos-413.qcow2')).not.toBe(of('rhcos-420.qcow2'))
})
