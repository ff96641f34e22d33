import { afterEach, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { fakeServer } from '@/lib/kubernetes/testing/fake-server'
import { closeClients, kubeClientFor } from './connection'
import * as secrets from './secrets'

useTestDatabase()
afterEach(closeClients)

test('a database that does not answer for a moment ends no connection; a disconnect does', async () => {
  const server = await fakeServer()
  const { id } = await db().managementCluster.create({ data: { name: 'm', server: server.url } })
  await db().$transaction((tx) => secrets.writeSecrets(tx, id, { server: server.url }))
  try {
    // What a worker keeps for as long as it follows the cluster.
    const kept = await kubeClientFor(id)
    vi.spyOn(secrets, 'readSecrets').mockRejectedValueOnce(new Error('The database did not answer in time.'))
    await expect(kubeClientFor(id)).rejects.toThrow('did not answer')
    await kept.raw('/version')
    expect(await kubeClientFor(id)).toBe(kept)
    await db().clusterCredential.delete({ where: { clusterId: id } })
    await expect(kubeClientFor(id)).rejects.toMatchObject({ code: 'not-found' })
    await expect(kept.raw('/version')).rejects.toMatchObject({ closed: true })
  } finally {
    await server.stop()
  }
})
