import type { JsonObject } from '../json'
import { guarded, guardedPool, hasAnnotation, notExempt, poolStillHeld, quote, stillHeld } from './expressions'
import { EXTENSION_CONFIG, GUARD, GUARD_EXTENSION, GUARD_POOLS, GUARD_WEBHOOKS, RELEASE } from './names'
import { ADMISSION, metadata, rule, type LatchOptions } from './parts'
import { ALL_LATCHED, LATCHED, LATCHED_POOL, type ClusterApiVersion } from './table'

interface Guard {
  name: string
  about: string
  rules: JsonObject[]
  conditions: { name: string; expression: string }[]
  allow: string
  message: string
}

/**
 * Only Drydock or the break-glass group releases what is held. Not limited to what is governed: an object that is held
 * stays guarded when its label is taken away.
 */
export function holdGuard(options: LatchOptions, version: ClusterApiVersion): JsonObject[] {
  return guard(options, {
    name: GUARD,
    about: 'Only Drydock, or the break-glass group, may release what Drydock holds.',
    rules: LATCHED.map((kind) => rule(kind.group, version, kind.plural, ['UPDATE'])),
    conditions: [{ name: 'held', expression: guarded() }],
    allow: stillHeld(),
    message: `Drydock holds this until somebody approves it there: only Drydock may remove the hold and the pause. In an emergency, a member of the group ${options.breakGlassGroup} may.`,
  })
}

/** The same of pools, whose pause is a field. The controllers of OpenShift never take a pause away. */
export function poolGuard(options: LatchOptions): JsonObject[] {
  const { group, plural, served } = LATCHED_POOL
  return guard(options, {
    name: GUARD_POOLS,
    about: 'Only Drydock, or the break-glass group, may resume a pool that Drydock holds.',
    rules: [rule(group, served!, plural, ['UPDATE'])],
    conditions: [{ name: 'held', expression: guardedPool() }],
    allow: poolStillHeld(),
    message: `Drydock holds this pool until somebody approves its configuration there: only Drydock may resume it. In an emergency, a member of the group ${options.breakGlassGroup} may.`,
  })
}

/** A missing ExtensionConfig reads as "replace": nobody deletes or redirects Drydock's by accident. */
export function extensionGuard(options: LatchOptions, version: ClusterApiVersion): JsonObject[] {
  return guard(options, {
    name: GUARD_EXTENSION,
    about: 'Keeps the registration of the update gate from being deleted or redirected by accident.',
    rules: [
      rule('runtime.cluster.x-k8s.io', version === 'v1beta2' ? 'v1beta2' : 'v1alpha1', 'extensionconfigs', [
        'UPDATE',
        'DELETE',
      ]),
    ],
    conditions: [
      { name: 'drydocks-own', expression: `oldObject.metadata.name == ${quote(EXTENSION_CONFIG)}` },
      { name: 'not-released', expression: `!(${hasAnnotation('oldObject', RELEASE)})` },
    ],
    allow: 'request.operation == "UPDATE" && object.spec == oldObject.spec',
    message: `Without this registration Cluster API replaces machines unasked. Disconnect the cluster in Drydock, or annotate it with ${RELEASE} first if you mean it.`,
  })
}

/** The API server evaluates no policy on policies, but it does on webhook configurations. */
export function webhookGuard(options: LatchOptions): JsonObject[] {
  const names = ALL_LATCHED.map((kind) => quote(kind.policy)).join(', ')
  return guard(options, {
    name: GUARD_WEBHOOKS,
    about: 'Only Drydock, or the break-glass group, may change or delete the webhooks that are the latch.',
    rules: [rule(ADMISSION, 'v1', 'mutatingwebhookconfigurations', ['UPDATE', 'DELETE'])],
    conditions: [{ name: 'the-latch', expression: `oldObject.metadata.name in [${names}]` }],
    allow: 'request.operation == "UPDATE" && object.webhooks == oldObject.webhooks',
    message: 'This webhook is Drydock’s latch: without it rollouts begin unapproved. Remove the latch in Drydock.',
  })
}

function guard(options: LatchOptions, g: Guard): JsonObject[] {
  const exempt = {
    name: 'not-drydock-nor-break-glass',
    expression: notExempt(options.identity, options.breakGlassGroup),
  }
  return [
    {
      apiVersion: `${ADMISSION}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      metadata: metadata(g.name, g.about),
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: g.rules,
        },
        matchConditions: [...g.conditions, exempt],
        validations: [{ expression: g.allow, message: g.message, reason: 'Forbidden' }],
      },
    },
    {
      apiVersion: `${ADMISSION}/v1`,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: metadata(g.name, g.about),
      spec: { policyName: g.name, validationActions: ['Deny'] },
    },
  ]
}
