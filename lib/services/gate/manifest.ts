import { db } from '@/lib/db/client'
import type { ManagementCluster } from '@/lib/db/generated/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { JsonObject } from '@/lib/domain/json'
import { EXTENSION_CONFIG, MANAGED_BY } from '@/lib/domain/latch/names'
import type { Resource } from '@/lib/kubernetes/types'
import { readSecrets } from '../clusters/secrets'
import { ServiceError } from '../errors'
import { gateAddress } from './address'

export const EXTENSION_RESOURCE = 'extensionconfigs.runtime.cluster.x-k8s.io'

export interface GateTarget {
  cluster: ManagementCluster
  capabilities: Capabilities
  resource: Resource
  url: string
  manifest: JsonObject
}

/** The registration of the gate in one management cluster, as it should be: at `base`, or where it was registered. */
export async function gateTarget(clusterId: string, base?: string): Promise<GateTarget> {
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId } })
  if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
  const capabilities = cluster.discovery as unknown as Capabilities | null
  const version = capabilities?.resources[EXTENSION_RESOURCE]
  if (!capabilities?.clusterApi || !version)
    throw new ServiceError(
      'invalid',
      `${cluster.name} serves no ExtensionConfig: it has no Cluster API that can ask Drydock.`,
    )
  const { gateToken } = await readSecrets(clusterId)
  const url = `${(base ?? cluster.gateBase ?? baseUrl()).replace(/\/+$/, '')}/c/${clusterId}/${gateToken}`
  const manifest: JsonObject = {
    apiVersion: `runtime.cluster.x-k8s.io/${version}`,
    kind: 'ExtensionConfig',
    metadata: { name: EXTENSION_CONFIG, labels: { ...MANAGED_BY } },
    spec: { clientConfig: { url, caBundle: await caBundle() }, namespaceSelector: {} },
  }
  return {
    cluster,
    capabilities,
    resource: { group: 'runtime.cluster.x-k8s.io', version, plural: 'extensionconfigs' },
    url,
    manifest,
  }
}

/** Where the managers and API servers reach the gate, as configured. */
export function baseUrl(): string {
  const { hosts, port } = gateAddress()
  const host = hosts[0]!
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** All authorities that are still good: a renewed certificate is trusted before it is served. */
async function caBundle(): Promise<string> {
  const rows = await db().gateCertificate.findMany({
    where: { role: 'ca', notAfter: { gt: new Date() } },
    orderBy: { notBefore: 'asc' },
  })
  if (rows.length === 0)
    throw new ServiceError('conflict', 'The update gate has no certificate authority yet.', {
      hint: 'Start the worker once: it makes one.',
    })
  return Buffer.from(rows.map((row) => row.certPem.trim()).join('\n') + '\n').toString('base64')
}
