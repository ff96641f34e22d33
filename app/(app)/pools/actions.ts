'use server'

import { action, look } from '@/lib/auth'
import { retryAction } from '@/lib/services/openshift/retry-action'
import { pausePool } from '@/lib/services/pools/pause-pool'
import { previewPool } from '@/lib/services/pools/preview-pool'
import { resumePool } from '@/lib/services/pools/resume-pool'

const verbs = {
  preview: look(previewPool),
  pause: action(pausePool),
  resume: action(resumePool),
  retry: action(retryAction),
}

export async function preview(input: unknown) {
  return verbs.preview(input)
}

export async function pause(input: unknown) {
  return verbs.pause(input)
}

export async function resume(input: unknown) {
  return verbs.resume(input)
}

export async function retry(input: unknown) {
  return verbs.retry(input)
}
