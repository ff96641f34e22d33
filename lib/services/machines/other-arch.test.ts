import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { diagnoses } from './joining'

useTestDatabase()
const NAMESPACE = 'openshift-machine-api'
const X86 = 'projects/rhcos-cloud/global/images/rhcos-9-8-20260714-0-gcp-x86-64'
let clusterId: string

beforeEach(async () => {
  await db().managementCluster.deleteMany()
  const made = await db().managementCluster.create({ data: { name: 'm', server: 'https://x', state: 'connected' } })
  clusterId = made.id
  const streams = { streamVersion: '4.22.4', streamRelease: '9.8.20260714-0', rhcos: ['9.8.20260714-0'] }
  await db().openShiftCluster.create({
    data: {
      ...{ clusterId, version: '4.22.4', platform: 'GCP', floorOcp: '4.13.0', floorRhel: '9.2' },
      evidence: { completedAt: '2026-11-01T00:00:00Z', ...streams },
    },
  })
})

const set = (name: string, wanted: string, arch: string | null) =>
  db().bootImageSet.create({
    data: {
      ...{ id: randomUUID(), clusterId, kind: 'MachineSet', namespace: NAMESPACE, name, arch, wanted, current: X86 },
      ...{ state: wanted === X86 ? 'current' : 'outdated', outcome: wanted === X86 ? 'unchanged' : 'update' },
    },
  })

async function machine(name: string, of: string, node: string | null): Promise<string> {
  const { id } = await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId, provider: 'machine.openshift.io', namespace: NAMESPACE, name },
      ...{ resourceVersion: '1', workloadCluster: 'infra', groupKind: 'MachineSet', groupName: of, machineSet: of },
      ...{ controlPlane: false, node, createdAt: '2026-11-20T00:00:00Z', sentence: '.', bootImage: X86 },
      ...{ bootImageVersion: 'RHCOS 9.8.20260714-0', phase: node ? 'Running' : 'Provisioned' },
      ...{ state: node ? 'ready' : 'failed', severity: node ? 0 : 85, error: node ? null : 'x' },
      ...(!node && { provisionedSince: '2026-11-20T06:00:00Z' }),
      ...(!node && { joining: { instance: 'RUNNING', userData: null, reason: null, message: null } }),
    },
  })
  return id
}

test.each([
  ['aarch64', 'x86_64', 'boot-image'],
  ['x86_64', 'x86_64', 'not-the-image'],
  [null, 'x86_64', 'not-the-image'],
  ['aarch64', null, 'not-the-image'],
])('the image that the release wants of another set: of %s, that one of %s', async (arch, other, certainty) => {
  await set('others', X86, other)
  await set('own', arch === other ? X86 : 'arm', arch)
  await machine('others-1', 'others', 'node-1')
  const id = await machine('own-1', 'own', null)
  const found = (await diagnoses([id])).get(id)!
  expect(found.certainty).toBe(certainty)
  if (certainty === 'not-the-image') return
  expect(found.sentence).toContain('rhcos-9-8-20260714-0-gcp-x86-64 is for x86_64, and the machines of its set are not')
  expect(found.words).toBe('never joined: its boot image is for another architecture')
  expect(found.evidence.filter(({ says }) => says === 'other')).toEqual([])
  expect(found.wayOut[1]!.sentence).toContain('Bring the image of own up to date')
})

test('where one of the same set has joined with that image, it is its annotation that is wrong', async () => {
  await set('others', X86, 'x86_64')
  await set('own', 'arm', 'aarch64')
  await machine('own-0', 'own', 'node-0')
  const id = await machine('own-1', 'own', null)
  const { certainty, evidence } = (await diagnoses([id])).get(id)!
  expect(certainty).toBe('not-the-image')
  expect(evidence.map(({ sentence }) => sentence).join()).not.toContain('an image for')
})
