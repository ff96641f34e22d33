'use server'

import { action, look } from '@/lib/auth'
import { previewManaged as previewManagedImages } from '@/lib/services/boot-images/preview-managed'
import { previewSeveralManaged as previewSeveralManagedImages } from '@/lib/services/boot-images/preview-several-managed'
import { setManaged as setManagedImages } from '@/lib/services/boot-images/set-managed'
import { setSeveralManaged as setSeveralManagedImages } from '@/lib/services/boot-images/set-several-managed'
import { cancelAction } from '@/lib/services/openshift/cancel-action'
import { previewCancel as previewTakingBack } from '@/lib/services/openshift/preview-cancel'
import { previewGoOn as previewGoingOn } from '@/lib/services/openshift/preview-go-on'
import { retryAction } from '@/lib/services/openshift/retry-action'
import { actSeveralSkew } from '@/lib/services/skew/act-several'
import { acknowledgeSkew } from '@/lib/services/skew/acknowledge'
import { optOutSkew } from '@/lib/services/skew/opt-out'
import { previewSeveralSkew } from '@/lib/services/skew/preview-several'
import { previewSkewAction } from '@/lib/services/skew/preview'
import { returnToAutomatic } from '@/lib/services/skew/return-to-automatic'

const verbs = {
  preview: look(previewSkewAction),
  acknowledge: action(acknowledgeSkew),
  optOut: action(optOutSkew),
  automatic: action(returnToAutomatic),
  retry: action(retryAction),
  previewSeveral: look(previewSeveralSkew),
  actSeveral: action(actSeveralSkew),
  cancel: action(cancelAction),
  previewCancel: look(previewTakingBack),
  previewGoOn: look(previewGoingOn),
  previewManaged: look(previewManagedImages),
  setManaged: action(setManagedImages),
  previewSeveralManaged: look(previewSeveralManagedImages),
  setSeveralManaged: action(setSeveralManagedImages),
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

export async function cancel(input: unknown) {
  return verbs.cancel(input)
}

export async function previewCancel(input: unknown) {
  return verbs.previewCancel(input)
}

export async function previewGoOn(input: unknown) {
  return verbs.previewGoOn(input)
}

export async function previewManaged(input: unknown) {
  return verbs.previewManaged(input)
}

export async function setManaged(input: unknown) {
  return verbs.setManaged(input)
}

export async function previewSeveral(input: unknown) {
  return verbs.previewSeveral(input)
}

export async function actSeveral(input: unknown) {
  return verbs.actSeveral(input)
}

export async function previewSeveralManaged(input: unknown) {
  return verbs.previewSeveralManaged(input)
}

export async function setSeveralManaged(input: unknown) {
  return verbs.setSeveralManaged(input)
}
