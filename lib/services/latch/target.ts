import { db } from '@/lib/db/client'
import type { ManagementCluster, Policy } from '@/lib/db/generated/client'
import { notPausableKinds } from '@/lib/domain/access/not-pausable'
import type { Capabilities } from '@/lib/domain/capabilities'
import type { JsonObject } from '@/lib/domain/json'
import { POOL } from '@/lib/domain/latch/hold'
import { latchManifests } from '@/lib/domain/latch/manifests'
import { ALL_LATCHED, LATCHED_POOL } from '@/lib/domain/latch/table'
import type { Governance, Holds, LatchForm, PoolsHeld } from '@/lib/domain/latch/parts'
import { ServiceError } from '../errors'
import { baseUrl } from '../gate/manifest'
import type { LatchStatus } from './status'

export interface LatchTarget {
  cluster: ManagementCluster & { policy: Policy | null }
  capabilities: Capabilities
  form: LatchForm
  /** How pools are held; null: there are none. */
  pools: PoolsHeld | null
  /** What of that somebody may choose between; none: there is one way. */
  choices: PoolsHeld[]
  holds: Holds
  /** Pools beside Cluster API's groups, and a latch in the API server: their part of it comes after, and fails by itself. */
  apart: boolean
  governance: Governance
  breakGlass: string
  /** Where the webhook form is, or would be, called. */
  webhookUrl: string
  /** The address, where somebody chose one: else it follows the configured one. */
  chosenUrl?: string
  manifests: JsonObject[]
  /** The webhook form of the same latch, whichever form is wanted. */
  asWebhook(): Promise<JsonObject[]>
}

export interface Wanted extends Partial<Governance> {
  breakGlass?: string
  webhookUrl?: string
  pools?: PoolsHeld
}

/** The latch as it should be on a cluster: from its policy row and what discovery found, overlaid by what is asked for now. */
export async function latchTarget(clusterId: string, asked: Wanted = {}): Promise<LatchTarget> {
  const cluster = await db().managementCluster.findUnique({ where: { id: clusterId }, include: { policy: true } })
  if (!cluster) throw new ServiceError('not-found', 'There is no such management cluster.')
  const capabilities = cluster.discovery as unknown as Capabilities | null
  if (!capabilities || !cluster.identity) {
    throw new ServiceError('conflict', `Drydock has not yet found out what ${cluster.name} is.`, {
      hint: 'Wait until it is connected, then try again.',
    })
  }
  const holds = holdsOf(capabilities)
  if (!holds.clusterApi && !holds.pools)
    throw new ServiceError(
      'invalid',
      `${cluster.name} has neither Cluster API nor pools of OpenShift: there is nothing to hold.`,
    )
  const governance: Governance = {
    governs: asked.governs ?? (cluster.policy?.governs as Governance['governs'] | undefined) ?? 'none',
    labelKey: asked.governs ? asked.labelKey : cluster.policy?.labelKey,
    labelValue: asked.governs ? asked.labelValue : cluster.policy?.labelValue,
  }
  if (governance.governs === 'namespace-label' && !holds.clusterApi)
    throw new ServiceError('invalid', 'Pools lie in no namespace, so no label of a namespace can choose them.', {
      hint: 'Govern all of them, or those with a label of their own.',
      fields: [{ field: 'governs', message: 'Choose all, or a label of pools.' }],
    })
  const breakGlass = asked.breakGlass ?? cluster.policy?.breakGlass ?? 'drydock:break-glass'
  const { form, pools, choices } = formFor(capabilities, cluster, asked.pools)
  const chosenUrl = asked.webhookUrl ?? (cluster.latchStatus as LatchStatus | null)?.chosenUrl
  const webhookUrl = chosenUrl ?? `${baseUrl()}/latch`
  const options = {
    ...governance,
    identity: cluster.identity,
    breakGlassGroup: breakGlass,
    apiVersion: capabilities.clusterApi?.apiVersion === 'v1beta1' ? ('v1beta1' as const) : ('v1beta2' as const),
    guard: capabilities.latch.guard && form !== 'watch',
    holds: { ...holds, pools: pools === 'same-write' },
  }
  const asWebhook = async () => {
    const webhook = governance.governs === 'none' ? undefined : await webhookOf(webhookUrl)
    return latchManifests({ ...options, form: 'webhook', webhook })
  }
  const manifests = form === 'webhook' ? await asWebhook() : latchManifests({ ...options, form })
  return {
    cluster,
    capabilities,
    form,
    pools,
    choices,
    holds,
    apart: holds.clusterApi && holds.pools && form !== 'watch',
    governance,
    breakGlass,
    webhookUrl,
    chosenUrl,
    manifests,
    asWebhook,
  }
}

/** Nothing stands in the cluster of what holds by pausing, or of what is not installed: Drydock need not be allowed to look. */
export const needsNoLook = ({ latchForm }: { latchForm: string }): boolean => ['watch', 'none'].includes(latchForm)

export const holdsOf = ({ clusterApi, openshift, resources }: Capabilities): Holds => ({
  clusterApi: clusterApi !== null,
  pools: openshift !== null && `${LATCHED_POOL.plural}.${LATCHED_POOL.group}` in resources,
})

/** What lets pools go needs it as well. */
export const mayPausePools = ({ capabilities }: Pick<LatchTarget, 'capabilities'>): boolean =>
  !notPausableKinds(capabilities).includes(POOL)

/** Of what is there to be held it may pause none. */
export const mayPauseNone = ({ capabilities }: Pick<LatchTarget, 'capabilities'>): boolean =>
  notPausableKinds(capabilities).length ===
  ALL_LATCHED.filter(({ group, plural }) => `${plural}.${group}` in capabilities.resources).length

/**
 * The strongest that the API server can carry. How pools are held somebody chooses: latched in the same write, what holds them may
 * keep the operator from giving any of them a configuration, so nobody gets that unasked.
 */
function formFor(
  capabilities: Capabilities,
  { name, latchForm, policy }: LatchTarget['cluster'],
  asked: PoolsHeld | undefined,
): Pick<LatchTarget, 'form' | 'pools' | 'choices'> {
  const { latch } = capabilities
  const { clusterApi, pools: has } = holdsOf(capabilities)
  const strongest = latch.policy ? (`policy-${latch.policy}` as const) : latch.webhook ? 'webhook' : 'watch'
  if (!has) return { form: strongest, pools: null, choices: [] }
  const only = strongest === 'watch' ? 'pausing' : !clusterApi && latchForm in TAKEN_AWAY_FIRST ? 'same-write' : null
  if (only && asked && asked !== only)
    throw new ServiceError(
      'conflict',
      `The pools of ${name} can only be ${only === 'pausing' ? HELD_BY_PAUSING : LATCHED_BY}.`,
      {
        hint: only === 'pausing' ? undefined : 'Remove the latch first, then choose anew.',
      },
    )
  const pools = only ?? asked ?? (policy?.pools as PoolsHeld | null | undefined) ?? 'pausing'
  const form = clusterApi || pools === 'same-write' ? strongest : 'watch'
  return { form, pools, choices: only ? [] : ['pausing', 'same-write'] }
}

const HELD_BY_PAUSING = 'held by pausing: its API server can carry no latch'
const LATCHED_BY = 'latched in the same write as long as the latch is installed'
/** Of a latch that is for pools alone: two ways would hold, and nobody would know by which. */
const TAKEN_AWAY_FIRST = { webhook: true, policy: true }

/** ManagementCluster.latchForm. */
export const formName = (form: LatchForm): 'policy' | 'webhook' | 'watch' =>
  form === 'webhook' || form === 'watch' ? form : 'policy'

/** The webhook is served by the gate, with the gate's authority. */
async function webhookOf(url: string): Promise<{ url: string; caBundle: string }> {
  const now = new Date()
  const authorities = await db().gateCertificate.findMany({
    where: { role: 'ca', notAfter: { gt: now } },
    orderBy: { notBefore: 'asc' },
  })
  if (authorities.length === 0) {
    throw new ServiceError('conflict', 'The update gate has no certificate authority yet.', {
      hint: 'Start the worker once: it makes one.',
    })
  }
  // All that are valid: a leaf of the old one is still accepted while it rotates.
  const bundle = authorities.map((ca) => ca.certPem.trim()).join('\n') + '\n'
  return { url, caBundle: Buffer.from(bundle).toString('base64') }
}
