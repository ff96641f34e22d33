import { applyPatch } from 'fast-json-patch'
import { describe, expect, test } from 'vitest'
import { HELD, PAUSED, TRIAL, TRIAL_OF_POLICY } from '@/lib/domain/latch/names'
import { handleLatchReview } from './latch-webhook'

const machineDeployment = (version: string, annotations?: Record<string, string> | null) => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'md', ...(annotations === undefined ? {} : { annotations }) },
  spec: { template: { spec: { version } } },
})
const review = (object: unknown, more: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    operation: 'UPDATE',
    kind: { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'MachineDeployment' },
    object,
    oldObject: machineDeployment('v1.34.0'),
    ...more,
  },
})
const patched = (object: ReturnType<typeof machineDeployment>) => {
  const { response } = handleLatchReview(review(object))
  expect(response).toMatchObject({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' })
  const patch = JSON.parse(Buffer.from(response.patch!, 'base64').toString()) as Parameters<typeof applyPatch>[1]
  return applyPatch(structuredClone(object), patch, true).newDocument
}

describe('the webhook form of the latch', () => {
  test('stands aside for the trial of the policies, on a dry run only', () => {
    const trial = machineDeployment('v1.34.1', { [TRIAL]: TRIAL_OF_POLICY })
    const aside = handleLatchReview(review(trial, { dryRun: true })).response
    expect(aside).toEqual({ uid: 'u-1', allowed: true })
    for (const asked of [review(trial), review(trial, { dryRun: false })])
      expect(handleLatchReview(asked).response.patch).toBeDefined()
    expect(handleLatchReview(review(machineDeployment('v1.34.1'), { dryRun: true })).response.patch).toBeDefined()
  })

  const before: (Record<string, string> | null | undefined)[] = [undefined, null, {}, { other: 'kept' }]
  test.each(before)('holds, whatever annotations there are: %j', (annotations) => {
    const { metadata } = patched(machineDeployment('v1.34.1', annotations))
    expect(metadata.annotations).toEqual({
      ...annotations,
      [PAUSED]: 'drydock',
      [HELD]: 'Waiting for approval in Drydock: to version v1.34.1',
    })
  })

  test('is idempotent, and leaves a person’s pause as it is', () => {
    const once = patched(machineDeployment('v1.34.1', { [PAUSED]: 'maintenance' }))
    expect(once.metadata.annotations).toMatchObject({ [PAUSED]: 'maintenance' })
    expect(patched(once)).toEqual(once)
  })

  const unreadable: [unknown, string][] = [
    ['nonsense', 'no review at all'],
    [null, 'nothing'],
    [{ ...review(machineDeployment('v1')), kind: 'Other' }, 'another kind'],
    [review(null), 'no object'],
    [review(machineDeployment('v1'), { operation: 'DELETE' }), 'another operation'],
    [review(machineDeployment('v1'), { kind: { kind: 'Secret' } }), 'a kind outside the table'],
  ]
  test.each(unreadable)('refuses what it cannot judge: %#, %s', (body) => {
    const { response } = handleLatchReview(body)
    expect(response.allowed).toBe(false)
    expect(response.status?.message).toContain('Drydock’s latch')
  })
})
