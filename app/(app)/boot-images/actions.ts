'use server'

import { action } from '@/lib/auth'
import { retryAction } from '@/lib/services/openshift/retry-action'
import { acknowledgeSkew } from '@/lib/services/skew/acknowledge'
import { optOutSkew } from '@/lib/services/skew/opt-out'
import { previewSkewAction } from '@/lib/services/skew/preview'
import { returnToAutomatic } from '@/lib/services/skew/return-to-automatic'

const verbs = {
  preview: action(previewSkewAction),
  acknowledge: action(acknowledgeSkew),
  optOut: action(optOutSkew),
  automatic: action(returnToAutomatic),
  retry: action(retryAction),
}

export async function preview(input: unknown) {
  return verbs.preview(input)
}

export async function acknowledge(input: unknown) {
  return verbs.acknowledge(input)
}

export async function optOut(input: unknown) {
  return verbs.optOut(input)
}

export async function automatic(input: unknown) {
  return verbs.automatic(input)
}

export async function retry(input: unknown) {
  return verbs.retry(input)
}
