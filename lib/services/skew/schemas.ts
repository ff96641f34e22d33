import * as z from 'zod'
import { SKEW_ACTIONS } from '@/lib/domain/skew/patch'
import { versionProblem } from '@/lib/domain/skew/validate'
import { looked } from '../openshift/schemas'

const clusterId = z.uuid('This is not the id of a management cluster.')
export const versionKind = z.enum(['OCPVersion', 'RHCOSVersion'], 'Say whether this is an OCP or an RHCOS version.')
const version = z.string('Type the version of the boot image.').trim()
export const reason = z.string().trim().max(1000, 'A reason has at most 1000 characters.').optional()
export const reviewAt = z.coerce
  .date('The review date is not a date.')
  .refine((date) => date.getTime() > Date.now(), 'The review date must lie in the future.')
  .optional()
/** Null: none, also where one stands; absent: what stands is kept where the same is said once more. */
const reviewAtOrNone = reviewAt.nullable()
/** What stood at the box that was ticked: it counts for that and nothing else. */
export const confirmed = z.string().max(10_000, 'That is none of what is to be confirmed.').nullable().default(null)

/** The API server's own rules, said before it is asked. */
function checkVersion(ctx: z.core.ParsePayload, kind: 'OCPVersion' | 'RHCOSVersion', typed: string): void {
  const message = versionProblem(kind, typed)
  if (message) ctx.issues.push({ code: 'custom', message, path: ['version'], input: typed })
}

/** A management cluster by id or by name, as the scope in the address has it. */
export const CardInput = z.object({
  cluster: z.string('Say which cluster.').trim().max(253, 'A name has at most 253 characters.'),
})
export const AcknowledgeInput = z
  .object({ clusterId, versionKind, version, confirmed, reason, reviewAt: reviewAtOrNone, ...looked })
  .check((ctx) => checkVersion(ctx, ctx.value.versionKind, ctx.value.version))
export const OptOutInput = z.object({ clusterId, reason, reviewAt: reviewAtOrNone, ...looked })
export const ReturnInput = z.object({ clusterId, confirmed, reason, ...looked, manageAll: z.boolean().default(false) })
/** As many as are decided at once. */
const MOST_CLUSTERS = 50
export const several = <T extends z.ZodType>(one: T) =>
  z
    .array(one)
    .min(1, 'Choose at least one cluster.')
    .max(MOST_CLUSTERS, `At most ${MOST_CLUSTERS} clusters are decided on at once.`)
const action = z.enum(SKEW_ACTIONS, 'The actions are acknowledge, opt-out and automatic.')
const manageAll = z.boolean().default(false)

/** Without a version the best evidence of each cluster is taken. */
export const PreviewSeveralInput = z.object({
  ...{ action, manageAll },
  clusters: several(z.object({ clusterId, versionKind: versionKind.optional(), version: version.optional() })),
})
/** What is looked through one by one: a slip in one of them is no matter to the others. */
export const ActSeveralInput = z.object({
  ...{ action, manageAll, reason, reviewAt },
  clusters: several(
    z.object({
      ...{ clusterId, versionKind: versionKind.optional(), version: version.optional(), confirmed, ...looked },
    }),
  ),
})
export const BatchInput = z.object({ batchId: z.uuid('This is not the id of a batch.') })
export const PreviewInput = z
  .object({
    clusterId,
    action: z.enum(SKEW_ACTIONS, 'The actions are acknowledge, opt-out and automatic.'),
    versionKind: versionKind.optional(),
    version: version.optional(),
    manageAll: z.boolean().default(false),
  })
  .check((ctx) => {
    if (ctx.value.action === 'acknowledge')
      checkVersion(ctx, ctx.value.versionKind ?? 'OCPVersion', ctx.value.version ?? '')
  })
