import { expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import type { Ctx } from '../context'
import { planRemoveLatch } from './plan-remove-latch'

const as = (role: Ctx['actor']['role']): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })

test.each(['viewer', 'operator', 'approver'] as const)('a %s may not ask what removing would do', async (role) => {
  await expect(planRemoveLatch(as(role), { clusterId: randomUUID() })).rejects.toMatchObject({ code: 'forbidden' })
})

test('what is not an id is refused before anything is asked', async () => {
  await expect(planRemoveLatch(as('admin'), { clusterId: 'atlas' })).rejects.toMatchObject({ code: 'invalid' })
})
