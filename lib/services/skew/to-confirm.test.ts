import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { requireConfirmed } from './acknowledge'
import { requireManaging } from './record'
import { generateBootImages } from './testing'

useTestDatabase()
beforeAll(() => generateBootImages(2))

const asked = async (cluster: string, version: string, closingConfirmed: boolean, againstConfirmed = false) => {
  const { id: clusterId } = await db().managementCluster.findUniqueOrThrow({ where: { name: cluster } })
  return requireConfirmed({
    ...{ clusterId, versionKind: 'OCPVersion', version },
    ...{ newerConfirmed: false, closingConfirmed, againstConfirmed },
  })
}

test('below the floor is confirmed where boot images keep nothing closed', async () => {
  await expect(asked('ocp-000', '4.12.0', false)).rejects.toThrow('this closes updates beyond 4.22')
  expect(await asked('ocp-000', '4.12.0', true)).toMatchObject({ newerConfirmed: false, closingConfirmed: true })
  expect(await asked('ocp-000', '4.16.0', true)).toMatchObject({ newerConfirmed: false, closingConfirmed: false })
})

test('where they are closed already, nothing would be closed by it', async () => {
  expect(await asked('ocp-001', '4.12.0', false)).toMatchObject({ newerConfirmed: false, closingConfirmed: false })
})

test('a version that the evidence contradicts is confirmed', async () => {
  const [card] = await db().openShiftCluster.findMany({ where: { cluster: { name: 'ocp-000' } } })
  const items = [
    {
      ...{ source: 'machine-sets', sure: 'likely', sentence: 'workers still has the image from 4.16.0.' },
      image: { kind: 'OCPVersion', version: '4.16.0' },
    },
  ]
  const evidence = { ...(card!.evidence as object), items }
  await db().openShiftCluster.update({ where: { clusterId: card!.clusterId }, data: { evidence } })
  await expect(asked('ocp-000', '4.20.0', false)).rejects.toThrow(
    'By the evidence 4.20.0 is not the oldest boot image in use: workers still has the image from 4.16.0.',
  )
  expect(await asked('ocp-000', '4.20.0', false, true)).toMatchObject({ againstConfirmed: true })
  expect(await asked('ocp-000', '4.16.0', false, true)).toMatchObject({ againstConfirmed: false })
})

test('machine sets are not had managed where the API server takes no such entry', () => {
  const on = (type: string) => () =>
    requireManaging({ platform: type, evidence: { platform: { type, azureStack: false, topology: '' } } })
  expect(on('BareMetal')).toThrow('does not update boot images on BareMetal')
  expect(on('AWS')).not.toThrow()
})
