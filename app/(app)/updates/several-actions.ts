'use server'

import { action } from '@/lib/auth'
import { approveSeveral } from '@/lib/services/changes/approve-several'
import { previewSeveral } from '@/lib/services/changes/preview-several'
import { rejectSeveral } from '@/lib/services/changes/reject-several'

interface Looked {
  changeId: string
  fingerprint: string
  replicas?: number
}

const preview = action(previewSeveral)
const approve = action(approveSeveral)
const reject = action(rejectSeveral)

/** What deciding several would do, and which are left out. */
export async function previewSeveralAction(input: { mode: 'in-place' | 'replace' | 'reject'; changes: Looked[] }) {
  return preview(input)
}

/** Lets several changes go, exactly those that were looked at; each has its own result. */
export async function approveSeveralAction(input: {
  mode: 'in-place' | 'replace'
  changes: Looked[]
  reason?: string
}) {
  return approve(input)
}

/** Keeps several changes held, marked as rejected; each has its own result. */
export async function rejectSeveralAction(input: { changes: Looked[]; reason?: string }) {
  return reject(input)
}
