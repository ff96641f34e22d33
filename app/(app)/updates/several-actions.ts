'use server'

import type * as z from 'zod'
import { action, look } from '@/lib/auth'
import { approveSeveral } from '@/lib/services/changes/approve-several'
import { previewSeveral } from '@/lib/services/changes/preview-several'
import { rejectSeveral } from '@/lib/services/changes/reject-several'
import type { ApproveSeveralInput, PreviewSeveralInput, RejectSeveralInput } from '@/lib/services/changes/schemas'

const preview = look(previewSeveral)
const approve = action(approveSeveral)
const reject = action(rejectSeveral)

/** What deciding several would do, and which are left out. */
export async function previewSeveralAction(input: z.input<typeof PreviewSeveralInput>) {
  return preview(input)
}

/** Lets several changes go, exactly those that were looked at; each has its own result. */
export async function approveSeveralAction(input: z.input<typeof ApproveSeveralInput>) {
  return approve(input)
}

/** Keeps several changes held, marked as rejected; each has its own result. */
export async function rejectSeveralAction(input: z.input<typeof RejectSeveralInput>) {
  return reject(input)
}
