import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { as } from '@/testenv/deciding'
import { needsYou } from './needs-you'

useTestDatabase()
const POOLS = 'machineconfigpools.machineconfiguration.openshift.io'
const NODES = 'nodes'
const MINUTE = 60_000

const need = async () => {
  const { sentence, since } = (await needsYou(as('viewer'), {})).find(({ kind }) => kind === 'watch') ?? {}
  return { sentence, since }
}

test('a watch that is down is told with since when it is, and why, whatever else is heard', async () => {
  const heard = { [POOLS]: new Date(Date.now() - 4 * MINUTE), [NODES]: new Date() }
  const { id: clusterId } = await db().managementCluster.create({
    data: {
      ...{ name: 'skua', server: 'https://127.0.0.1:1', state: 'connected', lastHeardAt: heard[NODES] },
      lease: { create: { owner: 'me', until: new Date(Date.now() + MINUTE) } },
      streams: {
        create: Object.entries(heard).map(([resource, lastHeardAt]) => ({
          ...{ resource, lastHeardAt, state: resource === POOLS ? 'backoff' : 'watching' },
          ...{ objects: 1, events: 0, relists: 0 },
        })),
      },
    },
  })
  const since = heard[POOLS]!.toISOString()
  expect(await need()).toEqual({ sentence: `What is shown of it may be old: reconnecting to ${POOLS}.`, since })
  const stateMessage = `Drydock may not read ${POOLS}: ${POOLS} is forbidden: User "drydock" cannot list resource`
  await db().managementCluster.update({ where: { id: clusterId }, data: { stateMessage } })
  const refused = { sentence: `What is shown of it may be old: Drydock may not read ${POOLS}.`, since }
  expect(await need()).toEqual(refused)
  // While it is asked for once more, too.
  await db().stream.updateMany({ where: { resource: POOLS }, data: { state: 'listing' } })
  expect(await need()).toEqual(refused)
  await db().stream.updateMany({ data: { state: 'watching' } })
  expect(await need()).toEqual({})
})
