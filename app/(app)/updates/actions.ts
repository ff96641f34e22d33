'use server'

import type * as z from 'zod'
import { action, look } from '@/lib/auth'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { holdWorkers } from '@/lib/services/changes/hold-workers'
import { letWorkersGrow } from '@/lib/services/changes/let-workers-grow'
import { overrideTimes } from '@/lib/services/changes/override-times'
import { pauseChange } from '@/lib/services/changes/pause-change'
import { mindRemediation } from '@/lib/services/remediation/mind-remediation'
import { skipRemediation } from '@/lib/services/remediation/skip-remediation'
import { restoreTimes } from '@/lib/services/changes/restore-times'
import { restoreLimit } from '@/lib/services/changes/restore-limit'
import { nextMachine } from '@/lib/services/changes/next-machine'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { previewDecision } from '@/lib/services/changes/preview-decision'
import { rejectChange } from '@/lib/services/changes/reject-change'
import { retryDecision } from '@/lib/services/changes/retry-decision'
import type { ApproveInput, NextMachineInput, ResumeInput, RetryInput } from '@/lib/services/changes/schemas'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'

const preview = look(previewDecision)
const approve = action(approveChange)
const reject = action(rejectChange)
const retry = action(retryDecision)
const withdraw = action(withdrawApproval)
const override = action(overrideTimes)
const restore = action(restoreTimes)
const pause = action(pauseChange)
const resume = action(resumeChange)
const next = action(nextMachine)
const accept = action(acceptFailures)
const limit = action(restoreLimit)
const grow = action(letWorkersGrow)
const hold = action(holdWorkers)
const skip = action(skipRemediation)
const mind = action(mindRemediation)

/** What a decision would do to the cluster, verbatim. */
export async function previewAction(input: { changeId: string; mode: 'in-place' | 'replace' | 'reject' }) {
  return preview(input)
}

/** Lets a change go, exactly the one that was looked at. */
export async function approveAction(input: z.input<typeof ApproveInput>) {
  return approve(input)
}

/** Keeps a change held, marked as rejected. */
export async function rejectAction(input: { changeId: string; fingerprint: string; reason?: string }) {
  return reject(input)
}

/** Applies a decision again that the cluster did not accept. */
export async function retryAction(input: z.input<typeof RetryInput>) {
  return retry(input)
}

/** Takes one's own approval back, as long as nothing has been let go. */
export async function withdrawAction(input: { changeId: string }) {
  return withdraw(input)
}

/** Lets one change go outside its windows, freezes and waves. */
export async function overrideAction(input: { changeId: string; fingerprint: string; reason: string }) {
  return override(input)
}

/** Its windows and freezes hold it again. */
export async function restoreAction(input: { changeId: string }) {
  return restore(input)
}

/** Nothing more of a rollout begins; machines that have begun are finished. */
export async function pauseAction(input: { changeId: string; reason?: string }) {
  return pause(input)
}

/** It goes on with what it was approved with. */
export async function resumeAction(input: z.input<typeof ResumeInput>) {
  return resume(input)
}

/** The next machine of a control plane that goes machine by machine, or all others. */
export async function nextMachineAction(input: z.input<typeof NextMachineInput>) {
  return next(input)
}

/** It goes on after it stopped by itself; what every machine has is done. */
export async function acceptFailuresAction(input: {
  changeId: string
  stoppedAt: string | null
  asDone: boolean
  again: boolean
  reason: string
}) {
  return accept(input)
}

/** It stops by itself again, where its policy says so. */
export async function restoreLimitAction(input: { changeId: string }) {
  return limit(input)
}

/** Worker groups get machines while a higher version of their control plane waits. */
export async function letWorkersGrowAction(input: { changeId: string; fingerprint: string }) {
  return grow(input)
}

/** They get none again. */
export async function holdWorkersAction(input: { changeId: string }) {
  return hold(input)
}

/** Remediation of its machines is skipped while they are updated in place. */
export async function skipRemediationAction(input: { changeId: string }) {
  return skip(input)
}

/** They are remediated as before. */
export async function mindRemediationAction(input: { changeId: string }) {
  return mind(input)
}
