import {
  openShiftLatchRbac,
  openShiftReadRbac,
  openShiftWriteRbac,
  planRbac,
  rbacManifest,
} from '@/lib/domain/access/manifest'
import type { JsonObject } from '@/lib/domain/json'
import { stringify } from 'yaml'
import { parseInput, requirePermission, type Ctx } from '../context'
import { getCluster } from './get-cluster'
import { RbacInput } from './schemas'

/** The exact RBAC for one management cluster, for what it serves (or what planning needs besides), bound to the identity that Drydock has there. */
export async function rbacFor(ctx: Ctx, input: unknown): Promise<{ yaml: string }> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId, plan } = parseInput(RbacInput, input)
  const { discovery, identity } = await getCluster(ctx, { clusterId })
  const account = /^system:serviceaccount:drydock:([-a-z0-9]+)$/.exec(identity ?? '')?.[1]
  const subject = account
    ? { kind: 'ServiceAccount' as const, name: account }
    : identity
      ? { kind: 'User' as const, name: identity }
      : undefined
  if (plan) return { yaml: yamlOf(planRbac(subject)) }
  const parts = [
    ...(discovery?.clusterApi ? [yamlOf(rbacManifest(['cluster-api', 'latch', 'gate'], subject))] : []),
    ...(discovery?.openshift
      ? [
          yamlOf(openShiftReadRbac(subject)),
          CHANGING + yamlOf(openShiftWriteRbac(subject)),
          LATCHING + yamlOf(openShiftLatchRbac(subject)),
        ]
      : []),
  ]
  return { yaml: parts.join('---\n') }
}

const CHANGING = '# The rest is for changing something on OpenShift: without it Drydock only reads OpenShift.\n'

const LATCHING =
  '# This last role is for latching pools in the same write: without it their configurations are held by pausing.\n'

const yamlOf = (objects: JsonObject[]): string =>
  objects.map((object) => stringify(object, { lineWidth: 110, aliasDuplicateObjects: false })).join('---\n')
