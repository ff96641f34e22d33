import { Agent, request } from 'undici'
import { expect } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { KubeError, type KubeClient, type KubeObject, type Resource } from '@/lib/kubernetes/types'
import { credentialsOf } from './as'

export const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }

/** The API server's own answer to what it refused. */
export async function refused(call: Promise<unknown>): Promise<KubeError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(KubeError)
  return error as KubeError
}

/** A call that Drydock's client does not make. `lines`: of a watch, until the server ends it. */
export async function raw(
  kubeconfig: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: JsonObject,
  contentType = 'application/json',
): Promise<{ code: number; text: string }> {
  const { server, caPem, token } = credentialsOf(kubeconfig)
  const dispatcher = new Agent({ connect: { ca: caPem } })
  try {
    const answer = await request(server + path, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': contentType } : {}) },
      body: body && JSON.stringify(body),
    })
    return { code: answer.statusCode, text: await answer.body.text() }
  } finally {
    await dispatcher.close()
  }
}

/** The same client, every call of it as somebody else. */
export function impersonating(client: KubeClient, user: string): KubeClient {
  const impersonate = { user, groups: [] }
  return {
    ...client,
    get: (resource, name, namespace, options) => client.get(resource, name, namespace, { ...options, impersonate }),
    list: (resource, namespace, options) => client.list(resource, namespace, { ...options, impersonate }),
    raw: (path, options) => client.raw(path, { ...options, impersonate }),
    review: (resource, body, options) => client.review(resource, body, { ...options, impersonate }),
    patch: (resource, name, namespace, type, body, options) =>
      client.patch(resource, name, namespace, type, body, { ...options, impersonate }),
    delete: (resource, name, namespace, options) =>
      client.delete(resource, name, namespace, { ...options, impersonate }),
  }
}

export const namesOf = (objects: KubeObject[]): string[] => objects.map((o) => o.metadata.name)
