import { expect, vi } from 'vitest'
import { db } from '@/lib/db/client'
import type { JsonObject } from '@/lib/domain/json'
import { KubeUnreachable } from '@/lib/kubernetes/types'
import { applyDecision } from '@/lib/services/changes/apply'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import type { Held } from './held'
import { decisions } from './timed'

/**
 * Its release is sent, the answer is lost, and the API server takes its time. `land`: as it was sent, now. `stored`: it was stored
 * at once, before anybody else wrote to the object (controllers write its status all the while). `again`: it is tried again.
 */
export async function lostAnswer(
  clusterId: string,
  held: Held,
  send: () => Promise<unknown>,
): Promise<{ land(): Promise<unknown>; stored(): Promise<void>; again(): Promise<void> }> {
  const client = await kubeClientFor(clusterId)
  const { patch } = client
  let sent: Parameters<typeof patch> | undefined
  client.patch = (...args) => {
    client.patch = patch
    sent = args
    return Promise.reject(new KubeUnreachable('timed out', 'PATCH'))
  }
  await send()
  const { id, state } = (await decisions(held)).at(-1)!
  expect(state).toBe('applying')
  const again = async () => {
    await db().decision.update({ where: { id }, data: { claimedUntil: new Date(0) } })
    await applyDecision(id, 'worker')
  }
  const stored = () =>
    vi.waitFor(async () => {
      const [resource, name, namespace, how, body] = sent!
      const { metadata, ...rest } = body as JsonObject & { metadata: JsonObject }
      const { resourceVersion } = (await held.read()).metadata
      await patch(resource, name, namespace, how, { ...rest, metadata: { ...metadata, resourceVersion } })
    }, 10_000)
  return { land: () => patch(...sent!), stored, again }
}

/** While the cluster does not answer who reads. */
export async function unread(clusterId: string, during: () => Promise<void>): Promise<void> {
  const client = await kubeClientFor(clusterId)
  const { get } = client
  client.get = () => Promise.reject(new KubeUnreachable('timed out', 'GET'))
  await during().finally(() => (client.get = get))
}
