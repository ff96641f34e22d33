import { NEEDS, type Need } from '@/lib/domain/access/permissions'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { KubeClient } from '../types'

const SSAR = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' }

type Missing = Capabilities['missingPermissions'][number]

async function allowed(
  client: KubeClient,
  need: Need,
  resource: string,
  verb: string,
  name?: string,
): Promise<boolean> {
  const attributes = {
    group: need.group,
    resource,
    verb,
    ...(name ? { name } : {}),
    ...(need.namespace ? { namespace: need.namespace } : {}),
  }
  const answer = await client.review(SSAR, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributes },
  })
  return (answer.status as { allowed?: boolean } | undefined)?.allowed === true
}

/** Asks the API server about every permission of the table for these parts; a role limited to names is asked by name. */
export async function discoverMissing(client: KubeClient, parts: Need['part'][]): Promise<Missing[]> {
  const questions = NEEDS.filter((need) => parts.includes(need.part)).flatMap((need) =>
    need.resources.flatMap((resource) => need.verbs.map((verb) => ({ need, resource, verb, name: need.names?.[0] }))),
  )
  const missing: Missing[] = []
  const queue = [...questions]
  const ask = async () => {
    for (let q = queue.shift(); q; q = queue.shift()) {
      if (await allowed(client, q.need, q.resource, q.verb, q.name)) continue
      missing.push({
        verb: q.verb,
        group: q.need.group,
        resource: q.resource,
        ...(q.name ? { name: q.name } : {}),
        why: q.need.why,
      })
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return missing.sort((a, b) =>
    `${a.group}/${a.resource}/${a.verb}`.localeCompare(`${b.group}/${b.resource}/${b.verb}`),
  )
}
