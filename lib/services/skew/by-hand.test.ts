import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Ctx } from '../context'
import { getBootImageCard } from './get-card'
import { generateBootImages } from './testing'

useTestDatabase()

const viewer: Ctx = { actor: { kind: 'user', id: 'u1', name: 'l.varga', role: 'viewer' } }

test('where only the control plane’s set is left alone, the recipe is for that, and nothing is acknowledged for it', async () => {
  await generateBootImages(4)
  const card = await getBootImageCard(viewer, { cluster: 'ocp-003' })
  expect([card?.platform, card?.managed]).toEqual(['VSphere', 'all machine sets'])
  const only = { clusterId: card!.clusterId, kind: 'ControlPlaneMachineSet' }
  await db().bootImageSet.updateMany({ where: { ...only, kind: 'MachineSet' }, data: { outcome: 'unchanged' } })
  const steps = async () => (await getBootImageCard(viewer, { cluster: 'ocp-003' }))?.byHand?.steps.join(' ')
  await db().bootImageSet.updateMany({ where: only, data: { state: 'current', outcome: 'unchanged' } })
  expect(await steps()).toBeUndefined()
  await db().bootImageSet.updateMany({ where: only, data: { state: 'unknown', outcome: 'ignore' } })
  expect(await steps()).toMatch(/Point template of the control plane’s set to the new image\. .*RollingUpdate/)
  expect(await steps()).not.toMatch(/machine set|then acknowledge/)
})
