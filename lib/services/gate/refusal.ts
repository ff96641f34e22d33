import { isUnpermitted } from '@/lib/kubernetes/denied'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'

/** The address of the gate without its token: the API server may quote it in an answer that everybody reads. */
export const maskToken = (text: string): string => text.replace(/\/c\/[0-9a-f-]{36}\/[\w-]*/gi, '/c/…')

/**
 * The API server's refusal under a sentence of ours. Without the feature gate RuntimeSDK Cluster API's own webhook refuses registrations, as
 * forbidden too.
 */
export async function asServiceError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof KubeUnreachable)
      throw new ServiceError('unavailable', `The cluster does not answer: ${maskToken(error.message)}`)
    if (!(error instanceof KubeError)) throw error
    const sentence = isUnpermitted(error)
      ? 'Drydock may not do this there. Apply the RBAC that the page Clusters shows.'
      : 'The API server refused the registration of the gate.'
    throw new ServiceError('refused', sentence, { answer: maskToken(error.message) })
  }
}
