import { Agent, request } from 'undici'
import { createKubeClient } from '@/lib/kubernetes/client'
import { readKubeconfig } from '@/lib/kubernetes/kubeconfig'
import type { JsonObject } from '@/lib/domain/json'
import type { KubeClient, KubeCredentials, KubeObject } from '@/lib/kubernetes/types'

export function credentialsOf(kubeconfig: string): KubeCredentials {
  const reading = readKubeconfig(kubeconfig)
  if (!reading.credentials) throw new Error(reading.refused.map((r) => r.sentence).join(' '))
  return reading.credentials
}

export const clientOf = (kubeconfig: string): KubeClient => createKubeClient(credentialsOf(kubeconfig))

/** Writes that Drydock's client cannot make: PUT, and server-side apply by other field managers. */
export async function writeAs(
  kubeconfig: string,
  method: 'PUT' | 'PATCH',
  path: string,
  body: JsonObject,
  contentType = 'application/json',
): Promise<{ code: number; object: KubeObject; message: string }> {
  const { server, caPem, token } = credentialsOf(kubeconfig)
  const dispatcher = new Agent({ connect: { ca: caPem } })
  try {
    const answer = await request(server + path, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
      body: JSON.stringify(body),
    })
    const object = (await answer.body.json()) as KubeObject & { message?: string }
    return { code: answer.statusCode, object, message: object.message ?? '' }
  } finally {
    await dispatcher.close()
  }
}
