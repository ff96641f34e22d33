import { beforeEach, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as, failure } from '@/testenv/deciding'
import { importPolicies } from './import-policies'
import { previewImport } from './preview-import'
import { removePolicy } from './remove-policy'
import { savePolicy } from './save-policy'

useTestDatabase()
const [ada, bo] = [as('admin', 'Ada'), as('admin', 'Bo')]
const text = 'name: dev\nselect: {}\n---\nname: prod\nselect: {}\napprovals: 2\n'
beforeEach(async () => void (await db().rolloutPolicy.deleteMany({})))

const prod = (approvals: number) => savePolicy(ada, { name: 'prod', spec: { select: {}, approvals } })
const dev = { name: 'dev', spec: { select: {}, approvals: 3 } }
const freezes = [{ starts: '2026-01-01T00:00', lasts: '999d', timeZone: 'Etc/UTC', why: 'incident' }]
const frozen = { select: {}, approvals: 1, freezes }

test.each([
  ['one that it changes', 1, (of: Saved) => savePolicy(bo, { ...of, spec: frozen }), 'prod'],
  ['one that it would have left as it was', 2, (of: Saved) => savePolicy(bo, { ...of, spec: frozen }), 'prod'],
  ['another one of a name that was free', 1, () => savePolicy(bo, dev), 'dev'],
  ['which is gone', 1, ({ policyId, version }: Saved) => removePolicy(bo, { policyId, version }), 'prod'],
])('somebody wrote %s since it was looked at: nothing is saved over that unseen', async (_, approvals, since, name) => {
  const { id: policyId, version } = await prod(approvals)
  const { policies: looked } = await previewImport(ada, { text })
  await since({ policyId, version, name: 'prod' })
  const before = await rows()
  const error = await failure(importPolicies(ada, { text, looked }))
  expect(error).toMatchObject({
    code: 'conflict',
    message: `Somebody changed ${name} while you were looking at it. Nothing was saved.`,
  })
  expect(await rows()).toEqual(before)
  await importPolicies(ada, { text, looked: (await previewImport(ada, { text })).policies })
  expect((await rows()).map((row) => row.name)).toEqual(['dev', 'prod'])
})

interface Saved {
  policyId: string
  version: number
  name: string
}
const rows = () => db().rolloutPolicy.findMany({ orderBy: { name: 'asc' } })
