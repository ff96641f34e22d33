import * as z from 'zod'
import { MOST_AT_ONCE } from '@/lib/domain/changes/at-once'

const ChangeId = z.uuid('This is not the id of a change.')
const Reason = z
  .string('The reason is a text.')
  .trim()
  .max(500, 'A reason has at most 500 characters.')
  .optional()
  .transform((reason) => reason || undefined)
const Fingerprint = z
  .string('Say which change you looked at: its fingerprint is missing.')
  .regex(/^[0-9a-f]{64}$/, 'This is not the fingerprint of a change.')

const MODES = ['in-place', 'replace'] as const
const Mode = z.enum(MODES, 'Choose in place or replace.')

/** Typed before control plane machines are deleted. */
const TypedName = z.string('The name is a text.').max(253, 'A name has at most 253 characters.').optional()

export const ApproveInput = z.object({
  changeId: ChangeId,
  fingerprint: Fingerprint,
  mode: Mode,
  reason: Reason,
  typedName: TypedName,
  /** Of a control plane: one machine, and then it waits for somebody. */
  oneByOne: z.boolean('Say whether it waits after one machine.').optional(),
  /** How many machines the group wanted, as it was looked at. */
  replicas: z.int('Say how many machines were wanted.').min(0, 'Say how many machines were wanted.').optional(),
  /** How many machines were to be deleted in this way, as it was looked at. */
  deletions: z.int('Say how many were to be deleted.').min(0, 'Say how many were to be deleted.').optional(),
  /** Of a pool: how many nodes were to go at once, as it was looked at ("2", "25%"). */
  maxUnavailable: z.string('Say how many go at once.').max(100, 'Say how many go at once.').optional(),
  /** What the whole configurations of its machines were to be, as it was looked at; null: none was known. */
  configs: Fingerprint.nullish(),
})
/** With how many machines wanted, deleted, and gone at once, and with which configurations it was looked at, where that is known. */
const Looked = ApproveInput.pick({
  ...{ changeId: true, fingerprint: true, replicas: true, deletions: true, maxUnavailable: true, configs: true },
})
const Several = z
  .array(Looked, 'Say which changes.')
  .min(1, 'Choose at least one change.')
  .max(MOST_AT_ONCE, `At most ${MOST_AT_ONCE} changes are decided at once.`)
  .refine((all) => new Set(all.map(({ changeId }) => changeId)).size === all.length, 'Each change is named once.')
export const ApproveSeveralInput = z.object({ mode: Mode, changes: Several, reason: Reason })
export const RejectSeveralInput = z.object({ changes: Several, reason: Reason })
export const NextMachineInput = z.object({
  changeId: ChangeId,
  /** How many had been dealt with, as it was looked at. */
  done: z.int('Say how many machines were dealt with.').min(0, 'Say how many machines were dealt with.'),
  /** All that are left. */
  all: z.boolean('Say whether all others go, or one.'),
  reason: Reason,
  typedName: TypedName,
})
export const RejectInput = z.object({ changeId: ChangeId, fingerprint: Fingerprint, reason: Reason })
export const WithdrawInput = z.object({ changeId: ChangeId })
export const OverrideInput = z.object({
  changeId: ChangeId,
  fingerprint: Fingerprint,
  reason: Reason.pipe(z.string('Say why it cannot wait: everybody will read it.')),
})
export const PauseInput = z.object({ changeId: ChangeId, reason: Reason })
export const ResumeInput = z.object({
  changeId: ChangeId,
  /** When what was looked at was paused. */
  pausedAt: z.iso.datetime('Say which pause you looked at.').optional(),
  reason: Reason,
  typedName: TypedName,
})
export const SkipRemediationInput = z.object({ changeId: ChangeId })
export const AcceptFailuresInput = z.object({
  changeId: ChangeId,
  /** When what was looked at had stopped; null: it had not, and waits for its machines to be Ready. */
  stoppedAt: z.iso.datetime('Say which stop you looked at.').nullable(),
  /** Every machine has it: it is done by that. */
  asDone: z.boolean('Say whether it is done by that.'),
  again: z.boolean('Say whether it is to stop again.'),
  reason: Reason.pipe(z.string('Say why it may go on: everybody will read it.')),
})
export const RestoreLimitInput = z.object({ changeId: ChangeId })
export const RestoreTimesInput = z.object({ changeId: ChangeId })
export const LetWorkersGrowInput = z.object({ changeId: ChangeId, fingerprint: Fingerprint })
export const HoldWorkersInput = z.object({ changeId: ChangeId })
export const RetryInput = z.object({
  decisionId: z.uuid('This is not the id of a decision.'),
  typedName: TypedName,
})
export const PreviewInput = z.object({
  changeId: ChangeId,
  mode: z.enum([...MODES, 'reject'], 'Choose in place, replace or reject.'),
})
export const PreviewSeveralInput = z.object({ mode: PreviewInput.shape.mode, changes: Several })
export const GetInput = z.object({ id: ChangeId })

const TABS = ['waiting', 'running', 'done'] as const
export type Tab = (typeof TABS)[number]
export const ListInput = z.object({
  tab: z.enum(TABS, 'There are the tabs waiting, running and done.').default('waiting'),
  /** Management cluster. */
  cluster: z.uuid('This is not the id of a management cluster.').optional(),
  workloadCluster: z.string().max(253, 'A name has at most 253 characters.').optional(),
  q: z.string().trim().max(200, 'Search for at most 200 characters.').optional(),
  cursor: z.string().max(200, 'This is not a place in the list; begin at its top.').optional(),
  limit: z.number().int().min(1).max(200).default(50),
})
