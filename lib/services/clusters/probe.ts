import type { Capabilities } from '@/lib/domain/capabilities'
import { createKubeClient } from '@/lib/kubernetes/client'
import { discoverCapabilities } from '@/lib/kubernetes/discovery'
import { readKubeconfig } from '@/lib/kubernetes/kubeconfig'
import { KubeError, KubeUnreachable, type KubeClient, type KubeCredentials } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'
import { uidsThere } from './refuse-copy'

/** The credentials of an acceptable kubeconfig; throws `invalid` with one sentence per refused field. */
export function acceptKubeconfig(text: string, context?: string): KubeCredentials {
  const reading = readKubeconfig(text, context || undefined)
  if (reading.credentials) return reading.credentials
  const fields = reading.refused.map((r) => ({ field: 'kubeconfig', message: r.sentence }))
  throw new ServiceError('invalid', fields.map((f) => f.message).join(' '), { fields })
}

/** Connects once and asks the API server what it is. Throws `refused` or `unavailable` with its own words. */
export const probe = (credentials: KubeCredentials): Promise<Capabilities> => asked(credentials, discoverCapabilities)

/** The same, and by which it is told from a copy. */
export const probeWithUids = (credentials: KubeCredentials): Promise<{ found: Capabilities; uids: string[] }> =>
  asked(credentials, async (client) => {
    const found = await discoverCapabilities(client)
    return { found, uids: await uidsThere(client, found) }
  })

async function asked<T>(credentials: KubeCredentials, ask: (client: KubeClient) => Promise<T>): Promise<T> {
  const client = createKubeClient(credentials)
  try {
    return await ask(client)
  } catch (error) {
    throw explain(error, credentials.server)
  } finally {
    await client.close()
  }
}

/** What an API server answered, or that it did not, with what to do. */
export function explain(error: unknown, server: string): unknown {
  if (error instanceof KubeUnreachable && error.untrusted) {
    return new ServiceError('unavailable', `The certificate of ${server} was refused.`, {
      answer: error.message,
      hint: 'Nothing was sent to it. Check the certificate authority in the kubeconfig, and whether this is the address of that cluster.',
    })
  }
  if (error instanceof KubeUnreachable) {
    return new ServiceError('unavailable', `${server} does not answer.`, {
      answer: error.message,
      hint: 'Check the address, and the network path from Drydock.',
    })
  }
  if (error instanceof KubeError) {
    const sentence =
      error.code === 401
        ? 'The API server does not know these credentials.'
        : 'The API server refused a question of Drydock.'
    const hint =
      error.code === 401
        ? 'The token may have expired: make a new one and paste the kubeconfig again.'
        : 'Apply the RBAC manifest and test again.'
    return new ServiceError('refused', sentence, { answer: error.message, hint })
  }
  return error
}
