import type { Tx } from '@/lib/db/client'
import type { Capabilities } from '@/lib/domain/capabilities'
import { parseResource } from '@/lib/kubernetes/paths'
import { KubeError, type KubeClient } from '@/lib/kubernetes/types'
import { ServiceError } from '../errors'

const FOLLOWED = [
  'clusters.cluster.x-k8s.io',
  'machinedeployments.cluster.x-k8s.io',
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
  'machineconfigpools.machineconfiguration.openshift.io',
]

/** By which a copy is told, whatever its kube-system is: uids of a first page of what Drydock follows. What may not be read is not followed. */
export async function uidsThere(client: KubeClient, { resources }: Capabilities): Promise<string[]> {
  const served = FOLLOWED.filter((name) => resources[name])
  const pages = await Promise.all(served.map((name) => firstPage(client, name, resources[name]!)))
  return pages.flat()
}

async function firstPage(client: KubeClient, name: string, version: string): Promise<string[]> {
  try {
    const { items } = await client.list(parseResource(name, version), undefined, { limit: 500 })
    return items.map(({ metadata }) => metadata.uid)
  } catch (error) {
    if (error instanceof KubeError && [403, 404].includes(error.code)) return []
    throw error
  }
}

interface Shared {
  name: string
  /** How many of these uids are rows of it. */
  n: number
}

/** Other connected clusters in which objects with these uids are followed. */
async function sharedWith(tx: Tx, uids: string[], except: string | null): Promise<Shared[]> {
  return tx.$queryRaw<Shared[]>`
    SELECT m.name, count(DISTINCT r.id)::int AS n
    FROM (SELECT id, cluster_id FROM machine_group WHERE id = ANY(${uids}::uuid[])
      UNION ALL SELECT id, cluster_id FROM workload_cluster WHERE id = ANY(${uids}::uuid[])
      UNION ALL SELECT id, cluster_id FROM config_pool WHERE id = ANY(${uids}::uuid[])) AS r
    JOIN management_cluster m ON m.id = r.cluster_id JOIN cluster_credential k ON k.cluster_id = m.id
    WHERE m.id IS DISTINCT FROM ${except}::uuid
    GROUP BY m.name ORDER BY m.name`
}

/** An object is known by its uid, and followed in one cluster: of two that answer with the same ones each would be followed in part. */
export async function refuseCopy(tx: Tx, uids: string[], except: string | null): Promise<void> {
  const shared = await wordsOf(tx, uids, except)
  if (!shared) return
  const { names, objects } = shared
  throw new ServiceError(
    'conflict',
    `This is a copy of ${names}, or ${names} is one of it: the same objects are in both, by their uids (${objects}).`,
    {
      hint: `Disconnect ${names} first, or have the objects of one of them made anew. Of two with the same objects each would be followed, and held, in part.`,
      fields: [{ field: 'kubeconfig', message: `The same objects are there as in ${names}.` }],
    },
  )
}

/** What a latch holds of groups that are followed elsewhere no page would show, and nobody could let go. */
export async function refuseLatch(tx: Tx, { id, name }: { id: string; name: string }, uids: string[]): Promise<void> {
  const shared = await wordsOf(tx, uids, id)
  if (!shared) return
  const { names, objects } = shared
  throw new ServiceError(
    'conflict',
    `Objects of ${name} have the uids of objects of ${names} (${objects}), and are followed there alone: what a latch held of them here no page would show.`,
    { hint: `One is a copy of the other. Disconnect ${names}, or ${name}, first.` },
  )
}

async function wordsOf(
  tx: Tx,
  uids: string[],
  except: string | null,
): Promise<Record<'names' | 'objects', string> | null> {
  const shared = await sharedWith(tx, uids, except)
  if (shared.length === 0) return null
  const n = shared.reduce((sum, of) => sum + of.n, 0)
  return {
    names: shared.map(({ name }) => name).join(', '),
    objects: n === 1 ? '1 object' : `${n.toLocaleString('en-GB')} objects`,
  }
}
