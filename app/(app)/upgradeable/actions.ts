'use server'

import { action, look } from '@/lib/auth'
import { retryAction } from '@/lib/services/openshift/retry-action'
import { acknowledgeGate } from '@/lib/services/upgradeable/acknowledge-gate'
import { previewGate } from '@/lib/services/upgradeable/preview-gate'
import { withdrawGate } from '@/lib/services/upgradeable/withdraw-gate'

const verbs = {
  preview: look(previewGate),
  acknowledge: action(acknowledgeGate),
  withdraw: action(withdrawGate),
  retry: action(retryAction),
}

export async function preview(input: unknown) {
  return verbs.preview(input)
}

export async function acknowledge(input: unknown) {
  return verbs.acknowledge(input)
}

export async function withdraw(input: unknown) {
  return verbs.withdraw(input)
}

export async function retry(input: unknown) {
  return verbs.retry(input)
}
