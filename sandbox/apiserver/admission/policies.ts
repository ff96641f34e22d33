import jsonPatch, { type Operation } from 'fast-json-patch'
import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { isObject } from '../schema'
import { StatusError } from '../status'
import { wholeSchema } from '../storage/fields'
import { structuredMerge } from '../storage/merge'
import type { Objectbase } from '../storage/objects'
import type { AdmissionRequest } from '../storage/store'
import { same } from '../storage/values'
import { evaluate, fromCel, toCel } from './cel'
import { contextOf, covered, type Condition, type MatchResources } from './match'
import { paramsOf, type ParamKind, type ParamRef } from './params'

interface Validation {
  expression: string
  message?: string
  messageExpression?: string
  reason?: string
}

interface Mutation {
  patchType: 'ApplyConfiguration' | 'JSONPatch'
  applyConfiguration?: { expression: string }
  jsonPatch?: { expression: string }
}

interface PolicySpec {
  paramKind?: ParamKind
  matchConstraints?: MatchResources
  matchConditions?: Condition[]
  variables?: Condition[]
  failurePolicy?: 'Fail' | 'Ignore'
  reinvocationPolicy?: 'Never' | 'IfNeeded'
  validations?: Validation[]
  mutations?: Mutation[]
}

interface BindingSpec {
  policyName: string
  paramRef?: ParamRef
  matchResources?: MatchResources
  validationActions?: string[]
}

interface Bound {
  name: string
  binding: string
  spec: PolicySpec
  actions: string[]
  /** Null for a policy that takes none; undefined where there is none of those it takes. */
  params: SandboxObject | null | undefined
}

type Kind = 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy'
const PLURALS: Record<Kind, string> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
}

const specOf = <T>(object: SandboxObject) => (object.spec ?? {}) as unknown as T

/** Policies in force for a request, with the bindings that put them in force. */
function bound(kind: Kind, request: AdmissionRequest, base: Objectbase): Bound[] {
  const plural = PLURALS[kind]
  const bindings = base.of(`${plural.slice(0, -'policies'.length)}policybindings.admissionregistration.k8s.io`).list()
  return bindings.flatMap((object): Bound[] => {
    const binding = specOf<BindingSpec>(object)
    const policy = base.of(`${plural}.admissionregistration.k8s.io`).get(binding.policyName)
    if (!policy) return []
    const spec = specOf<PolicySpec>(policy)
    // A policy without rules covers nothing; a binding only narrows.
    if (!spec.matchConstraints?.resourceRules?.length || !covered(spec.matchConstraints, request, base)) return []
    if (!covered(binding.matchResources, request, base)) return []
    const { name } = object.metadata
    const one = { name: policy.metadata.name, binding: name, spec, actions: binding.validationActions ?? ['Deny'] }
    if (!spec.paramKind || !binding.paramRef) return [{ ...one, params: null }]
    const given = paramsOf(spec.paramKind, binding.paramRef, request, base)
    if (given.length) return given.map((params) => ({ ...one, params }))
    return binding.paramRef.parameterNotFoundAction === 'Deny' ? [{ ...one, params: undefined }] : []
  })
}

const withParams = ({ params }: Bound, context: Record<string, unknown>) => ({
  ...context,
  params: params ? toCel(params) : null,
})

/** Variables are computed when they are first read, and may read those before them. */
function withVariables(spec: PolicySpec, context: Record<string, unknown>): Record<string, unknown> {
  const variables: Record<string, unknown> = {}
  const whole = { ...context, variables }
  for (const { name, expression } of spec.variables ?? [])
    Object.defineProperty(variables, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = evaluate(expression, whole)
        Object.defineProperty(variables, name, { value, enumerable: true })
        return value
      },
    })
  return whole
}

/** Whether all conditions hold. One that is false ends the matter; otherwise one that fails is a failure. */
export function conditionsHold(conditions: Condition[] | undefined, context: Record<string, unknown>): boolean {
  let failure: Error | undefined
  for (const { name, expression } of conditions ?? []) {
    try {
      const value = evaluate(expression, context)
      if (value === false) return false
      if (value !== true) throw new Error(`matchCondition ${name} is not a bool`)
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error))
    }
  }
  if (failure) throw failure
  return true
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0]!

function denied(kind: Kind, request: AdmissionRequest, policy: Bound, text: string, reason = 'Invalid'): StatusError {
  const { resource, name } = request
  const what = resource.group ? `${resource.plural}.${resource.group}` : resource.plural
  const why = `${kind} '${policy.name}' with binding '${policy.binding}' denied request: ${text}`
  const message = `${what} "${name}" is forbidden: ${why}`
  const codes: Record<string, number> = { Invalid: 422, Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }
  const group = resource.group ? { group: resource.group } : {}
  return new StatusError(codes[reason] ?? 422, reason, message, {
    name,
    ...group,
    kind: resource.plural,
    causes: [{ message: kind === 'ValidatingAdmissionPolicy' ? why : text }],
  })
}

export function validateByPolicies(request: AdmissionRequest, base: Objectbase) {
  const policies = bound('ValidatingAdmissionPolicy', request, base)
  for (const policy of policies) {
    const context = withVariables(policy.spec, withParams(policy, contextOf(request, base)))
    const refuse = (text: string, reason?: string) => {
      if (policy.actions.includes('Warn'))
        request.warnings.push(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${policy.binding}': ${text}`,
        )
      if (policy.actions.includes('Deny')) throw denied('ValidatingAdmissionPolicy', request, policy, text, reason)
    }
    const failed = (error: unknown, expression?: string) => {
      if (policy.spec.failurePolicy === 'Ignore') return
      refuse(expression ? `expression '${expression}' resulted in error: ${firstLine(error)}` : firstLine(error))
    }
    if (policy.params === undefined) {
      failed('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction')
      continue
    }
    let holds = false
    try {
      holds = conditionsHold(policy.spec.matchConditions, context)
    } catch (error) {
      failed(error)
    }
    if (!holds) continue
    for (const validation of policy.spec.validations ?? []) {
      let passed: unknown
      try {
        passed = evaluate(validation.expression, context)
      } catch (error) {
        failed(error, validation.expression)
        continue
      }
      if (passed !== true) refuse(messageOf(validation, context), validation.reason)
    }
  }
}

function messageOf(validation: Validation, context: Record<string, unknown>): string {
  const fallback = validation.message?.trim() || `failed expression: ${validation.expression.trim()}`
  if (!validation.messageExpression) return fallback
  try {
    const text = evaluate(validation.messageExpression, context)
    return typeof text === 'string' && text.trim() && !text.includes('\n') ? text : fallback
  } catch {
    return fallback
  }
}

/** The object as the mutating policies leave it; those that may are asked again when a later one changed it. */
export function mutateByPolicies(request: AdmissionRequest, base: Objectbase): SandboxObject {
  let object = request.object!
  let changedLast = false
  const run = (again: boolean) => {
    for (const policy of bound('MutatingAdmissionPolicy', { ...request, object }, base)) {
      if (again && policy.spec.reinvocationPolicy !== 'IfNeeded') continue
      const after = mutate(policy, { ...request, object }, base)
      if (same(after, object)) continue
      object = after
      changedLast = true
    }
  }
  run(false)
  if (changedLast) run(true)
  return object
}

function mutate(policy: Bound, request: AdmissionRequest, base: Objectbase): SandboxObject {
  let object = request.object!
  try {
    if (
      !conditionsHold(
        policy.spec.matchConditions,
        withVariables(policy.spec, withParams(policy, contextOf(request, base))),
      )
    )
      return object
    for (const mutation of policy.spec.mutations ?? []) {
      const context = withVariables(policy.spec, withParams(policy, contextOf({ ...request, object }, base)))
      object = apply(mutation, object, context, request)
    }
    return object
  } catch (error) {
    if (policy.spec.failurePolicy === 'Ignore') return request.object!
    throw denied('MutatingAdmissionPolicy', request, policy, firstLine(error))
  }
}

const FIXED = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields']

function apply(
  mutation: Mutation,
  object: SandboxObject,
  context: Record<string, unknown>,
  request: AdmissionRequest,
): SandboxObject {
  const before = object as unknown as JsonObject
  if (mutation.patchType === 'ApplyConfiguration') {
    const given = fromCel(evaluate(mutation.applyConfiguration?.expression ?? '', context))
    if (!isObject(given)) throw new Error('ApplyConfiguration expression must evaluate to an Object')
    const touched = FIXED.find((key) => isObject(given.metadata) && key in given.metadata)
    if (touched) throw new Error(`error applying patch: metadata.${touched} is not mutable by a policy`)
    return structuredMerge(before, given as Json, wholeSchema(request.resource.schema)) as unknown as SandboxObject
  }
  const operations = fromCel(evaluate(mutation.jsonPatch?.expression ?? '', context))
  if (!Array.isArray(operations)) throw new Error('JSONPatch expression must evaluate to a list')
  return jsonPatch.applyPatch(before, operations as unknown as Operation[], true, false)
    .newDocument as unknown as SandboxObject
}
