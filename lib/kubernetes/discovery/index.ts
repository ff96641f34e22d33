import type { Need } from '@/lib/domain/access/permissions'
import type { Capabilities } from '@/lib/domain/capabilities'
import { KubeError, type KubeClient } from '../types'
import { discoverGates } from './gates'
import { discoverMissing } from './permissions'
import { discoverContracts, discoverProviders, discoverConfiguration } from './providers'
import { discoverServed, latchForms } from './served'

/**
 * Asks a management cluster what it is and what Drydock may do there. What the latch of pools lacks is apart while nobody chose it:
 * nothing is missing then. Throws KubeError or KubeUnreachable.
 */
export async function discoverCapabilities(
  client: KubeClient,
  { latchesPools = false }: { latchesPools?: boolean } = {},
): Promise<Capabilities> {
  const [version, served, identity, uid] = await Promise.all([
    client.raw('/version'),
    discoverServed(client),
    discoverIdentity(client),
    discoverUid(client),
  ])
  const kubernetes = (version as { gitVersion?: string }).gitVersion ?? 'unknown'
  const coreVersion = served.resources['machines.cluster.x-k8s.io']
  const hasOpenShift = 'machineconfigurations.operator.openshift.io' in served.resources
  const parts: Need['part'][] = []
  if (coreVersion) parts.push('cluster-api', 'latch', 'gate')
  if (hasOpenShift) parts.push('openshift', 'openshift-write')
  if (hasOpenShift && latchesPools) parts.push('openshift-latch')
  const [gates, providers, contracts, openshift, missingPermissions, latchOfPools] = await Promise.all([
    discoverGates(client, served),
    coreVersion ? discoverProviders(client, served) : [],
    coreVersion ? discoverContracts(client) : [],
    hasOpenShift ? discoverOpenShift(client, served.resources) : null,
    discoverMissing(client, parts),
    hasOpenShift && !latchesPools ? discoverMissing(client, ['openshift-latch']) : null,
  ])
  return {
    kubernetes,
    uid,
    clusterApi: coreVersion
      ? {
          version: gates.coreVersion,
          apiVersion: coreVersion,
          served: served.versions['cluster.x-k8s.io'] ?? [],
          contracts,
        }
      : null,
    providers,
    openshift,
    gates: gates.gates,
    latch: latchForms(served, kubernetes),
    resources: served.resources,
    missingPermissions,
    ...(latchOfPools && { latchOfPools }),
    identity,
  }
}

async function discoverOpenShift(
  client: KubeClient,
  resources: Record<string, string>,
): Promise<Capabilities['openshift']> {
  const [known, version] = await Promise.all([
    discoverConfiguration(client),
    client
      .get({ group: 'config.openshift.io', version: 'v1', plural: 'clusterversions' }, 'version')
      .then((o) => (o.status as { desired?: { version?: string } } | undefined)?.desired?.version ?? null)
      .catch(() => null),
  ])
  return { version, ...known, machineApi: 'machines.machine.openshift.io' in resources }
}

/** Tells clusters apart whatever their addresses are. */
async function discoverUid(client: KubeClient): Promise<string | null> {
  try {
    const resource = { group: '', version: 'v1', plural: 'namespaces' }
    return (await client.get(resource, 'kube-system')).metadata.uid
  } catch (error) {
    if (error instanceof KubeError && [403, 404].includes(error.code)) return null
    throw error
  }
}

/** Who the API server takes Drydock for: the guard of the latch names this user. */
async function discoverIdentity(client: KubeClient): Promise<Capabilities['identity']> {
  const answer = await client.review(
    { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews' },
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  )
  const info = (answer.status as { userInfo?: { username?: string; groups?: string[] } } | undefined)?.userInfo
  return { username: info?.username ?? '', groups: info?.groups ?? [] }
}
