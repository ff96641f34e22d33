import type { JsonObject } from '../json'
import { causesRollout, holdMutation } from './expressions'
import { extensionGuard, holdGuard, poolGuard, webhookGuard } from './guard'
import { GUARD_POOLS, GUARD_WEBHOOKS, webhookOf } from './names'
import { ADMISSION, metadata, rule, selectors, type Holds, type LatchOptions } from './parts'
import { LATCHED, LATCHED_POOL, type ClusterApiVersion, type LatchedKind } from './table'

/**
 * Everything that the latch is, as manifests: made from the table, the same for preview, installation, check and Git.
 * All defaults are written out, so that what the API server returns can be compared with it.
 */
export function latchManifests(options: LatchOptions): JsonObject[] {
  const version = options.apiVersion ?? 'v1beta2'
  const { clusterApi, pools } = options.holds ?? { clusterApi: true, pools: false }
  const latches = (kinds: readonly LatchedKind[]) =>
    options.governs === 'none' || options.form === 'watch'
      ? []
      : kinds.flatMap((kind) =>
          options.form === 'webhook' ? [webhook(kind, version, options)] : policy(kind, version, options),
        )
  const guards = (make: () => JsonObject[]) => (options.guard === false ? [] : make())
  const ofWebhooks = () => (options.form === 'webhook' ? webhookGuard(options) : [])
  // Cluster API's are whole before those of pools, which are a part of their own: see isOfPools.
  const ofClusterApi = [
    ...guards(() => [...holdGuard(options, version), ...extensionGuard(options, version), ...ofWebhooks()]),
    ...latches(LATCHED),
  ]
  const ofPools = [
    ...guards(() => [...poolGuard(options), ...(clusterApi ? [] : ofWebhooks())]),
    // Pools lie in no namespace: a label of namespaces chooses none of them.
    ...latches(options.governs === 'namespace-label' ? [] : [LATCHED_POOL]),
  ]
  return [...(clusterApi ? ofClusterApi : []), ...(pools ? ofPools : [])]
}

/** Of the latch of pools, where that of Cluster API's groups stands beside it. */
export const isOfPools = (object: { metadata?: unknown }): boolean =>
  [GUARD_POOLS, LATCHED_POOL.policy].includes((object.metadata as { name: string }).name)

/**
 * Whether what this object of the latch is for was found on the cluster. What was not may only be away for a moment: an API server
 * that has just begun does not name every group. So nobody but whoever removes the latch takes it away.
 */
export const isFor = ({ clusterApi, pools }: Holds, object: { metadata?: unknown }): boolean =>
  (object.metadata as { name: string }).name === GUARD_WEBHOOKS || (isOfPools(object) ? pools : clusterApi)

const about = (kind: LatchedKind) =>
  kind.pausedBy
    ? `Pauses a ${kind.kind} in the write that brings another configuration for its nodes, until Drydock releases it.`
    : `Pauses a ${kind.kind} in the write that would roll out its machines, until Drydock releases it.`

function policy(kind: LatchedKind, version: ClusterApiVersion, options: LatchOptions): JsonObject[] {
  const apiVersion = `${ADMISSION}/${options.form === 'policy-v1beta1' ? 'v1beta1' : 'v1'}`
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: metadata(kind.policy, about(kind)),
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [rule(kind.group, kind.served ?? version, kind.plural, ['UPDATE'])],
        },
        matchConditions: [{ name: 'causes-a-rollout', expression: causesRollout(kind, version) }],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: holdMutation(kind) } }],
      },
    },
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: metadata(kind.policy, about(kind)),
      spec: { policyName: kind.policy, matchResources: { matchPolicy: 'Equivalent', ...selectors(options) } },
    },
  ]
}

function webhook(kind: LatchedKind, version: ClusterApiVersion, options: LatchOptions): JsonObject {
  if (!options.webhook) throw new Error('The webhook form needs the address and authority of the gate.')
  return {
    apiVersion: `${ADMISSION}/v1`,
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(kind.policy, about(kind)),
    webhooks: [
      {
        name: webhookOf(kind.plural),
        admissionReviewVersions: ['v1'],
        clientConfig: { url: options.webhook.url, caBundle: options.webhook.caBundle },
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        reinvocationPolicy: 'IfNeeded',
        sideEffects: 'None',
        timeoutSeconds: 5,
        rules: [rule(kind.group, kind.served ?? version, kind.plural, ['UPDATE'])],
        matchConditions: [{ name: 'causes-a-rollout', expression: causesRollout(kind, version) }],
        ...selectors(options),
      },
    ],
  }
}
