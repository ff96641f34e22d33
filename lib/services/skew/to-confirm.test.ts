import { beforeAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { ManagedWish } from '@/lib/domain/boot-images/managed/plan'
import type { JsonObject } from '@/lib/domain/json'
import { toConfirm } from '../boot-images/plan-managed'
import { requireConfirmed } from './acknowledge'
import { requireManaging } from './record'
import { closedByReturn } from './to-confirm'
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

test('a return that closes what is open is confirmed, with and without all machine sets managed', async () => {
  const of = async (more: object, manageAll = false) => {
    const card = await db().openShiftCluster.findFirstOrThrow({ where: { cluster: { name: 'ocp-000' } } })
    const evidence = {
      ...{ platform: { type: 'AWS', azureStack: false, topology: 'HighlyAvailable' }, streamVersion: '4.22.4' },
      history: [{ state: 'Completed', version: '4.12.7' }],
      sets: { skipped: [], failing: [], undecided: [], outdated: [], ...more },
    }
    const managed = { spec: [], effective: [], words: 'off' }
    const now = { ...card, mode: 'None', specSkew: { mode: 'None' }, managed, evidence }
    // Having all machine sets managed leads there only together with a return, or where nothing is configured.
    const all = (wish: Partial<ManagedWish>, specSkew: JsonObject | null) =>
      toConfirm({ sets: { mode: 'All' }, ...wish }, { ...now, specSkew } as never).closes
    expect(all({}, { mode: 'None' })).toBeNull()
    expect(all({}, null)).toBe(closedByReturn(now, true))
    expect(all({ skew: { action: 'automatic' } }, { mode: 'None' })).toBe(closedByReturn(now, true))
    expect(all({ sets: { mode: 'None' } }, null)).toBeNull()
    return closedByReturn(now, manageAll)
  }
  expect(await of({})).toBe(
    'This closes updates beyond 4.22, which boot images keep open now. Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.',
  )
  expect(await of({}, true)).toBeNull()
  expect(await of({ failing: ['a'] }, true)).toContain('a cannot be updated')
  expect(await of({ skipped: ['a'] }, true)).toContain('4.12.7 is below the floor')
  const closed = await db().openShiftCluster.findFirstOrThrow({ where: { cluster: { name: 'ocp-001' } } })
  expect(closedByReturn(closed, false)).toBeNull()
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

  // Below the floor as well: neither word stands for the other.
  const older = [{ ...items[0]!, image: { kind: 'OCPVersion', version: '4.12.0' } }]
  await db().openShiftCluster.update({
    where: { clusterId: card!.clusterId },
    data: { evidence: { ...evidence, items: older } },
  })
  await expect(asked('ocp-000', '4.12.9', true)).rejects.toThrow('By the evidence 4.12.9 is not the oldest')
  await expect(asked('ocp-000', '4.12.9', false, true)).rejects.toThrow('this closes updates beyond 4.22')
  const both = { closingConfirmed: true, againstConfirmed: true }
  expect(await asked('ocp-000', '4.12.9', true, true)).toMatchObject(both)
})

test('machine sets are not had managed where the API server takes no such entry', () => {
  const on = (type: string) => () =>
    requireManaging({ platform: type, evidence: { platform: { type, azureStack: false, topology: '' } } })
  expect(on('BareMetal')).toThrow('does not update boot images on BareMetal')
  expect(on('AWS')).not.toThrow()
})
