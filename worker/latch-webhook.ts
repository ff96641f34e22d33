import * as z from 'zod'
import { heldWordsFor } from '@/lib/domain/latch/evaluate'
import { holdFields } from '@/lib/domain/latch/hold'
import { TRIAL, TRIAL_OF_POLICY } from '@/lib/domain/latch/names'
import { ALL_LATCHED } from '@/lib/domain/latch/table'

const Meta = z.looseObject({ name: z.string().optional(), annotations: z.record(z.string(), z.string()).nullish() })
const Review = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1),
    operation: z.string(),
    dryRun: z.boolean().nullish(),
    kind: z.object({ kind: z.string() }),
    object: z.looseObject({ metadata: Meta, spec: z.record(z.string(), z.json()).optional() }).nullish(),
    oldObject: z.looseObject({}).nullish(),
  }),
})

export interface AdmissionReviewAnswer {
  apiVersion: 'admission.k8s.io/v1'
  kind: 'AdmissionReview'
  response: {
    uid: string
    allowed: boolean
    patchType?: 'JSONPatch'
    patch?: string
    status?: { code: number; message: string }
  }
}

/**
 * The webhook form of the latch. The API server has evaluated the conditions already: whatever is asked here is to be
 * held. Called several times for one write, so it only computes; it needs neither database nor cluster.
 * What it cannot read it refuses: a write that might roll out machines never passes by mistake.
 */
export function handleLatchReview(review: unknown): AdmissionReviewAnswer {
  const parsed = Review.safeParse(review)
  if (!parsed.success) return refuse(uidOf(review), 400, 'Drydock’s latch cannot read this admission review.')
  const { uid, object, oldObject, kind, operation, dryRun } = parsed.data.request
  const latched = ALL_LATCHED.find((entry) => entry.kind === kind.kind)
  if (!latched || operation !== 'UPDATE' || !object || !oldObject) {
    return refuse(
      uid,
      400,
      `Drydock’s latch knows no ${operation} of ${kind.kind}: its webhook configuration was changed.`,
    )
  }
  const there = object.metadata.annotations ?? {}
  // Only a dry run may ask for it: nothing of it is ever stored.
  if (dryRun && there[TRIAL] === TRIAL_OF_POLICY) return answer({ uid, allowed: true })
  // Its configuration excludes it: asked all the same, nothing is paused that carries the control plane.
  if (latched.never?.includes(String(object.metadata.name))) return answer({ uid, allowed: true })
  const words = heldWordsFor(latched, object, oldObject)
  const hold = holdFields({ kind: kind.kind, metadata: { annotations: there }, spec: object.spec ?? {} }, words)
  const patch: { op: 'add'; path: string; value: unknown }[] = []
  if (!object.metadata.annotations) patch.push({ op: 'add', path: '/metadata/annotations', value: {} })
  for (const [key, value] of Object.entries(hold.annotations))
    patch.push({ op: 'add', path: `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value })
  if (hold.spec) patch.push({ op: 'add', path: '/spec/paused', value: hold.spec.paused })
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64')
  return answer({ uid, allowed: true, patchType: 'JSONPatch', patch: encoded })
}

const answer = (response: AdmissionReviewAnswer['response']): AdmissionReviewAnswer => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response,
})

const refuse = (uid: string, code: number, message: string) =>
  answer({ uid, allowed: false, status: { code, message } })

function uidOf(review: unknown): string {
  const uid = (review as { request?: { uid?: unknown } } | null)?.request?.uid
  return typeof uid === 'string' ? uid : ''
}
