import { randomUUID } from 'node:crypto'
import { Agent, request as call } from 'undici'
import jsonPatch, { type Operation } from 'fast-json-patch'
import type { Json, JsonObject } from '../../../lib/domain/json'
import type { SandboxObject } from '../../types'
import { StatusError, type StatusBody } from '../status'
import type { Objectbase } from '../storage/objects'
import type { AdmissionRequest } from '../storage/store'
import { same } from '../storage/values'
import { contextOf, ruleFits, selectorsFit, type Condition, type LabelSelector, type Rule } from './match'
import { conditionsHold } from './policies'

interface Webhook {
  name: string
  clientConfig: { url?: string; caBundle?: string; service?: JsonObject }
  rules?: Rule[]
  failurePolicy?: 'Fail' | 'Ignore'
  matchPolicy?: 'Exact' | 'Equivalent'
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  matchConditions?: Condition[]
  timeoutSeconds?: number
  reinvocationPolicy?: 'Never' | 'IfNeeded'
}

interface ReviewResponse {
  uid?: string
  allowed?: boolean
  status?: Partial<StatusBody>
  patch?: string
  patchType?: string
  warnings?: string[]
}

type Plural = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations'

function fitting(plural: Plural, request: AdmissionRequest, base: Objectbase): Webhook[] {
  const configurations = base.of(`${plural}.admissionregistration.k8s.io`).list()
  return configurations
    .flatMap((object) => (object as unknown as { webhooks?: Webhook[] }).webhooks ?? [])
    .filter((webhook) => {
      const exact = webhook.matchPolicy === 'Exact'
      return webhook.rules?.some((rule) => ruleFits(rule, request, exact)) && selectorsFit(webhook, request, base)
    })
}

/** Asks one webhook. Nothing when its conditions leave it out, or when it failed and may be ignored. */
async function ask(webhook: Webhook, request: AdmissionRequest, base: Objectbase): Promise<ReviewResponse | undefined> {
  try {
    if (!conditionsHold(webhook.matchConditions, contextOf(request, base))) return undefined
    return await post(webhook, request)
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return undefined
    const why = error instanceof Error ? error.message : String(error)
    const message = `Internal error occurred: failed calling webhook "${webhook.name}": ${why}`
    throw new StatusError(500, 'InternalError', message, {
      causes: [{ message: message.slice('Internal error occurred: '.length) }],
    })
  }
}

async function post(webhook: Webhook, request: AdmissionRequest): Promise<ReviewResponse> {
  const { url, caBundle } = webhook.clientConfig
  if (!url) throw new Error('failed to call webhook: services are not resolved here; use clientConfig.url')
  const seconds = webhook.timeoutSeconds ?? 10
  const target = new URL(url)
  target.searchParams.set('timeout', `${seconds}s`)
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined
  const agent = new Agent({ connect: { ca }, pipelining: 0 })
  try {
    const answer = await call(target, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'kube-apiserver-admission',
      },
      body: JSON.stringify(reviewOf(request)),
      signal: AbortSignal.timeout(seconds * 1000),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200)
      throw new Error(
        `failed to call webhook: an error on the server ("${text.slice(0, 200)}") has prevented the request from succeeding`,
      )
    return (JSON.parse(text) as { response?: ReviewResponse }).response ?? {}
  } catch (error) {
    throw new Error(failureText(error, target))
  } finally {
    await agent.destroy()
  }
}

function failureText(error: unknown, target: URL): string {
  const { code, message, name } = error as { code?: string; message?: string; name?: string }
  if (message?.startsWith('failed to call webhook')) return message
  const failed = `failed to call webhook: Post "${target.href}": `
  if (code === 'ECONNREFUSED') return `${failed}dial tcp ${target.host}: connect: connection refused`
  if (name === 'TimeoutError') return `${failed}context deadline exceeded`
  return `${failed}${message ?? String(error)}`
}

function reviewOf(request: AdmissionRequest): Json {
  const { resource, operation, name, namespace, as, dryRun, subresource, object, old } = request
  const kind = { group: resource.group, version: resource.versions[0]!, kind: resource.kind }
  const what = { group: resource.group, version: resource.versions[0]!, resource: resource.plural }
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: randomUUID(),
      kind,
      resource: what,
      requestKind: kind,
      requestResource: what,
      name,
      ...(namespace ? { namespace } : {}),
      ...(subresource ? { subResource: subresource } : {}),
      operation,
      userInfo: { username: as.user, groups: as.groups ?? [] },
      object: (object ?? null) as unknown as Json,
      oldObject: (old ?? null) as unknown as Json,
      dryRun,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: as.fieldManager },
    },
  }
}

function refused(webhook: Webhook, { status = {} }: ReviewResponse): StatusError {
  const { code = 403, reason = 'Forbidden', message, details } = status
  const why = message ?? (status.reason || 'without explanation')
  const text = why === 'without explanation' ? `denied the request ${why}` : `denied the request: ${why}`
  return new StatusError(code, reason, `admission webhook "${webhook.name}" ${text}`, details)
}

export async function mutateByWebhooks(request: AdmissionRequest, base: Objectbase): Promise<SandboxObject> {
  let object = request.object!
  const run = async (again: boolean) => {
    let changed = false
    for (const webhook of fitting('mutatingwebhookconfigurations', { ...request, object }, base)) {
      if (again && webhook.reinvocationPolicy !== 'IfNeeded') continue
      const response = await ask(webhook, { ...request, object }, base)
      if (!response) continue
      request.warnings.push(...(response.warnings ?? []))
      if (!response.allowed) throw refused(webhook, response)
      if (!response.patch) continue
      const operations = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Operation[]
      const after = jsonPatch.applyPatch(object as unknown as JsonObject, operations, true, false)
        .newDocument as unknown as SandboxObject
      if (same(after, object)) continue
      object = after
      changed = true
    }
    return changed
  }
  if (await run(false)) await run(true)
  return object
}

export async function validateByWebhooks(request: AdmissionRequest, base: Objectbase): Promise<void> {
  for (const webhook of fitting('validatingwebhookconfigurations', request, base)) {
    const response = await ask(webhook, request, base)
    if (!response) continue
    request.warnings.push(...(response.warnings ?? []))
    if (!response.allowed) throw refused(webhook, response)
  }
}
