import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { requireConfirmed } from './acknowledge'
import { requireManaging } from './record'
import { generateBootImages } from './testing'

useTestDatabase()
beforeAll(() => generateBootImages(2))

const asked = async (cluster: string, version: string, closingConfirmed: boolean) => {
  const { id: clusterId } = await db().managementCluster.findUniqueOrThrow({ where: { name: cluster } })
  return requireConfirmed({
    ...{ clusterId, versionKind: 'OCPVersion', version },
    ...{ newerConfirmed: false, closingConfirmed },
  })
}

test('below the floor is confirmed where boot images keep nothing closed', async () => {
  await expect(asked('ocp-000', '4.12.0', false)).rejects.toThrow('this closes updates beyond 4.22')
  expect(await asked('ocp-000', '4.12.0', true)).toEqual({ newerConfirmed: false, closingConfirmed: true })
  expect(await asked('ocp-000', '4.16.0', true)).toEqual({ newerConfirmed: false, closingConfirmed: false })
})

test('where they are closed already, nothing would be closed by it', async () => {
  expect(await asked('ocp-001', '4.12.0', false)).toEqual({ newerConfirmed: false, closingConfirmed: false })
})

test('machine sets are not had managed where the API server takes no such entry', () => {
  const on = (type: string) => () =>
    requireManaging({ platform: type, evidence: { platform: { type, azureStack: false, topology: '' } } })
  expect(on('BareMetal')).toThrow('does not update boot images on BareMetal')
  expect(on('AWS')).not.toThrow()
})
