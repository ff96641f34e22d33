import { db } from '@/lib/db/client'
import type { Prisma } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'

/** As a look leaves the row of a cluster that did not find these resources. */
export async function lookedAt(
  id: string,
  known: Capabilities,
  missed: RegExp,
  more: Partial<Capabilities> = {},
): Promise<void> {
  const resources = Object.fromEntries(Object.entries(known.resources).filter(([name]) => !missed.test(name)))
  const discovery = { ...known, ...more, resources } as unknown as Prisma.InputJsonValue
  await db().managementCluster.update({ where: { id }, data: { discovery } })
}

const answer = (code: number) => new KubeError(code, { kind: 'Status', code, message: `answered ${code}` }, 'GET')

/**
 * The API server behind this client names no group of these, and answers to none of their paths; what of their definitions: they are
 * there, gone as well, or not to be read. Returns what undoes it.
 */
export function unnamed(
  client: KubeClient,
  definitions: 'there' | 'gone' | 'unread',
  groups = /(^|\.)cluster\.x-k8s\.io$/,
): () => void {
  const before = { ...client }
  client.raw = async (path, ...rest) => {
    const found = await before.raw(path, ...rest)
    if (path !== '/apis') return found
    const list = found as { groups: { name: string }[] }
    return { ...list, groups: list.groups.filter(({ name }) => !groups.test(name)) }
  }
  client.list = (resource, ...rest) =>
    groups.test(resource.group) ? Promise.reject(answer(404)) : before.list(resource, ...rest)
  client.get = (resource, name, ...rest) => {
    if (groups.test(resource.group)) return Promise.reject(answer(404))
    const group = resource.plural === 'customresourcedefinitions' ? name.slice(name.indexOf('.') + 1) : ''
    if (definitions === 'there' || !groups.test(group)) return before.get(resource, name, ...rest)
    return Promise.reject(answer(definitions === 'gone' ? 404 : 403))
  }
  return () => void Object.assign(client, before)
}
