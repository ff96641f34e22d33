import { NEEDS, type Need } from '@/lib/domain/access/permissions'
import type { MissingPermission as Missing } from '@/lib/domain/capabilities'
import type { KubeClient } from '../types'

const SSAR = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' }

interface Question {
  need: Need
  resource: string
  verb: string
  subresource?: 'status'
}

async function allowed(client: KubeClient, { need, resource, verb, subresource }: Question): Promise<boolean> {
  // A role limited to names says no to whoever asks without one.
  const name = need.names?.[0]
  const attributes = {
    ...{ group: need.group, resource, verb },
    ...(subresource ? { subresource } : {}),
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

async function missingIn(client: KubeClient, question: Question): Promise<Missing | null> {
  if (await allowed(client, question)) return null
  const { need, resource, verb } = question
  const statusOnly = need.part === 'openshift-write' && (await allowed(client, { ...question, subresource: 'status' }))
  return {
    ...{ verb, group: need.group, resource, part: need.part, why: need.why },
    ...(need.names ? { name: need.names[0] } : {}),
    ...(need.namespace ? { namespace: need.namespace } : {}),
    ...(statusOnly ? { statusOnly } : {}),
  }
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
      const found = await missingIn(client, q)
      if (found) missing.push(found)
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return missing.sort((a, b) =>
    `${a.group}/${a.resource}/${a.verb}`.localeCompare(`${b.group}/${b.resource}/${b.verb}`),
  )
}
