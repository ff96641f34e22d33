import type { ClusterState } from '@/lib/db/read-model/cluster-state'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'

export interface ConnectionState {
  state: ClusterState
  message: string | null
}

/** What a failure to talk to a management cluster says about the connection, in a sentence. */
export function stateFrom(error: unknown): ConnectionState {
  if (error instanceof KubeError && error.code === 401) {
    const message = `The API server does not accept Drydock’s credentials any more (${error.message}). Replace the kubeconfig.`
    return { state: 'unauthorised', message }
  }
  if (error instanceof KubeError && error.code === 403) {
    return { state: 'unauthorised', message: `A permission is missing: ${error.message}` }
  }
  if (error instanceof KubeError)
    return { state: 'unreachable', message: `The API server answers with an error: ${error.message}` }
  if (error instanceof KubeUnreachable) return { state: 'unreachable', message: error.message }
  return { state: 'unreachable', message: error instanceof Error ? error.message : 'The API server cannot be asked.' }
}

/** Connected, and what is missing: a sentence for watches that the API server refuses. */
export function connectedState(refused: { resource: string; message: string }[]): ConnectionState {
  const [first] = refused
  if (!first) return { state: 'connected', message: null }
  const others = refused.length > 1 ? ` and ${refused.length - 1} more` : ''
  return { state: 'connected', message: `Drydock may not read ${first.resource}${others}: ${first.message}` }
}
