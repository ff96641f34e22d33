import * as z from 'zod'
import { OPERATORS } from '@/lib/domain/boot-images/enrol'
import { rowProblems } from '@/lib/domain/boot-images/managed/selector'
import { versionProblem } from '@/lib/domain/skew/validate'
import { looked } from '../openshift/schemas'
import { confirmed, reason, reviewAt, several, versionKind } from '../skew/schemas'

const clusterId = z.uuid('This is not the id of a management cluster.')
const text = z.string().trim().max(400, 'That is too long for a label.')
const row = z.object({
  key: text,
  operator: z.enum(OPERATORS, `The operators of a selector are ${OPERATORS.join(', ')}.`),
  values: z.array(text).max(50, 'At most 50 values.').default([]),
})
const rows = z.array(row).min(1, 'Without a line every set is matched: choose all machine sets instead.').max(20)

const sets = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('All') }),
  z.object({ mode: z.literal('None') }),
  z.object({ mode: z.literal('Partial'), rows }),
])

const skew = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('acknowledge'),
    versionKind,
    version: z.string('Type the version of the boot image.').trim(),
  }),
  z.object({ action: z.literal('opt-out') }),
  z.object({ action: z.literal('automatic') }),
])

const WISH = {
  clusterId,
  sets,
  /** Absent: as it is. */
  controlPlanes: z.enum(['All', 'None'], 'The control plane’s set is managed or not: All or None.').optional(),
  skew: skew.optional(),
}

/** What neither the API server nor the type says: it stores a selector of any kind, and the operator stops at it. */
function check(ctx: z.core.ParsePayload<{ sets: z.infer<typeof sets>; skew?: z.infer<typeof skew> }>): void {
  const { sets: of, skew: first } = ctx.value
  const say = (path: (string | number)[], message: string, input: unknown) =>
    ctx.issues.push({ code: 'custom', message, path, input })
  if (of.mode === 'Partial')
    for (const { row: at, field, message } of rowProblems(of.rows))
      say(['sets', 'rows', at, field], message, of.rows[at]?.[field])
  if (first?.action === 'acknowledge') {
    const message = versionProblem(first.versionKind, first.version)
    if (message) say(['skew', 'version'], message, first.version)
  }
}

export const PreviewManagedInput = z.object(WISH).check(check)
export const SetManagedInput = z
  .object({ ...WISH, confirmed, reason, reviewAt, ...looked })
  .check(check)
  // Nothing would tell it: which sets are managed holds until somebody decides anew.
  .refine(({ skew: first, reviewAt: at }) => !at || first, {
    ...{
      path: ['reviewAt'],
      error: 'A review date is kept with a recorded version or an opt-out, and none is asked for here.',
    },
  })
/**
 * On several clusters: all machine sets, or none. `first`: what becomes of the limit where the operator records by itself, and not all
 * are to be managed any more; the version is each cluster's own, by default the one that its operator recorded.
 */
const SEVERAL = { sets: z.enum(['All', 'None']), first: z.enum(['acknowledge', 'opt-out']).default('acknowledge') }
const typed = { versionKind: versionKind.optional(), version: z.string().trim().optional() }
export const PreviewSeveralManagedInput = z.object({
  ...SEVERAL,
  clusters: several(z.object({ clusterId, ...typed })),
})
/**
 * What is looked through one by one: a slip in one of them is no matter to the others. `recordsItself`: as it was looked at; where that
 * is not so any more the write, which is bound to what was looked at, is a conflict.
 */
export const SetSeveralManagedInput = z.object({
  ...{ ...SEVERAL, reason, reviewAt },
  clusters: several(z.object({ clusterId, recordsItself: z.boolean(), ...typed, confirmed, ...looked })),
})
export type SeveralManagedInput = z.infer<typeof PreviewSeveralManagedInput>
export type ManagedInput = z.infer<typeof PreviewManagedInput>
