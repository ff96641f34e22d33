import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KubeClient } from '@/lib/kubernetes/types'
import type { TestCluster } from '../types'
import answers from './writes/answers.json'
import { ask, EXTENSION, sorted, TABLES, type Said } from './writes'

/** The same writes must get the same answers from every cluster: answers.json is what the real one says. */
export function writesSuite(open: () => Promise<TestCluster>): void {
  let cluster: TestCluster
  let admin: KubeClient
  let ns: string

  beforeAll(async () => {
    cluster = await open()
    admin = cluster.admin
    ns = await cluster.namespace()
    for (const { resource, base, verb } of TABLES)
      if (verb === 'patch' && resource.version === 'v1beta2')
        await admin.create(resource, base, placeOf(resource.plural))
  })
  afterAll(async () => {
    await admin?.delete(EXTENSION, 'suite').catch(() => undefined)
    await cluster?.stop()
  })

  const placeOf = (plural: string) => (plural === EXTENSION.plural ? undefined : ns)
  const expected = answers as unknown as Record<string, Record<string, Said>>

  describe.each(TABLES)('$name', (table) => {
    test.each(table.cases)('%s', async (name, more) => {
      expect(sorted(await ask(admin, table, ns, more))).toEqual(expected[table.name]?.[name])
    })
  })
}
