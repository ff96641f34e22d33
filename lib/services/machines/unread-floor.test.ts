import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { diagnoses } from './joining'

useTestDatabase()

test('where nobody has read the floor of a release, nothing says that it accepts an image', async () => {
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: 'https://x' } })
  const evidence = { completedAt: '2026-11-01T00:00:00Z' }
  await db().openShiftCluster.create({
    data: { clusterId, version: '4.24.1', platform: 'AWS', floorOcp: '4.13.0', floorRhel: '9.2', evidence },
  })
  const { id } = await db().machine.create({
    data: {
      ...{ id: randomUUID(), clusterId, provider: 'machine.openshift.io', namespace: 'openshift-machine-api' },
      ...{ name: 'old-1', resourceVersion: '1', workloadCluster: 'infra', controlPlane: false, sentence: '.' },
      ...{ createdAt: '2026-11-20T00:00:00Z', bootImage: 'ami-old', bootImageVersion: 'RHCOS 9.4.20250101-0' },
      ...{ phase: 'Provisioned', state: 'failed', severity: 85, provisionedSince: '2026-11-20T06:00:00Z' },
      joining: { instance: 'running', userData: null, reason: null, message: null },
    },
  })
  const why = async (unsure?: string[]) => {
    const data = { evidence: { ...evidence, streamRelease: '9.8.20260714-0', ...(unsure && { unsure }) } }
    await db().openShiftCluster.update({ where: { clusterId }, data })
    return (await diagnoses([id])).get(id)!.sentence
  }
  expect(await why()).toMatch(/which its release still accepts\.$/)
  expect(await why(['RHCOSVersion'])).toMatch(/whether its release still accepts that is not known\.$/)
  expect(await why(['OCPVersion'])).toMatch(/which its release still accepts\.$/)
})
