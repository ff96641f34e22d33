import { beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure } from '@/testenv/deciding'
import { readPolicies } from './read-policies'
import { removePolicy } from './remove-policy'
import { savePolicy } from './save-policy'
import { SpecInput } from './schemas'

useTestDatabase()
const admin = as('admin')
const asks = async (tx = db() as Parameters<typeof readPolicies>[0]) =>
  (await readPolicies(tx)).map(({ name, version, spec }) => `${name} ${version} ${spec.approvals}`)

beforeEach(async () => void (await db().rolloutPolicy.deleteMany({})))

describe('policies that are kept', () => {
  test('are read once for as long as they say the same, and nobody writes into them', async () => {
    await savePolicy(admin, { name: 'a', spec: { approvals: 1 } })
    await savePolicy(admin, { name: 'b', spec: { approvals: 2 } })
    const read = vi.spyOn(SpecInput, 'safeParse')
    expect(await asks()).toEqual(['a 1 1', 'b 1 2'])
    expect(read).toHaveBeenCalledTimes(2)
    for (let i = 0; i < 5; i++) await asks()
    expect(read).toHaveBeenCalledTimes(2)
    const [first] = await readPolicies(db())
    expect(() => (first!.spec.approvals = 0)).toThrow()
    expect(() => (first!.spec.select.names = ['x'])).toThrow()
  })

  test('are never others than those that are stored: a new version, a removal, a row that was written past Drydock', async () => {
    const { id } = await savePolicy(admin, { name: 'a', spec: { approvals: 1 } })
    expect(await asks()).toEqual(['a 1 1'])
    await savePolicy(admin, { policyId: id, version: 1, name: 'a', spec: { approvals: 2 } })
    expect(await asks()).toEqual(['a 2 2'])
    // Its version says nothing of it.
    await db().rolloutPolicy.update({ where: { id }, data: { spec: { approvals: 5 } } })
    expect(await asks()).toEqual(['a 2 5'])
    await db().rolloutPolicy.update({ where: { id }, data: { name: 'z' } })
    expect(await asks()).toEqual(['z 2 5'])
    await removePolicy(admin, { policyId: id, version: 2 })
    expect(await asks()).toEqual([])
  })

  test('one that cannot be read is told every time, until it can', async () => {
    const { id } = await db().rolloutPolicy.create({ data: { name: 'odd', spec: { approvals: 'many' } } })
    for (let i = 0; i < 2; i++) expect((await failure(readPolicies(db()))).message).toContain('odd cannot be read')
    expect(await readPolicies(db(), [id])).toEqual([])
    await db().rolloutPolicy.update({ where: { id }, data: { spec: { approvals: 3 } } })
    expect(await asks()).toEqual(['odd 1 3'])
  })

  test('within a transaction they are its own, and beside it those that are stored', async () => {
    const { id } = await savePolicy(admin, { name: 'a', spec: { approvals: 1 } })
    const undone = db().$transaction(async (tx) => {
      await tx.rolloutPolicy.update({ where: { id }, data: { spec: { approvals: 9 } } })
      expect([await asks(tx), await asks()]).toEqual([['a 1 9'], ['a 1 1']])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await asks()).toEqual(['a 1 1'])
  })
})
