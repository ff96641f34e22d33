import { expect, test } from 'vitest'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import { howFailed } from './action-ticks'

test.each([
  ['no answer came', undefined, { unsure: true }],
  ['the API server failed', 503, { unsure: true }],
  ['it was answered with success, and is not as sent', 200, { unsure: false, refusal: 'not stored as sent' }],
])('of a write that may be stored: %s', (_, code, told) => {
  const calls = [
    { step: 0, code: 200 },
    { step: 1, ...(code && { code }) },
  ]
  const action = { step: 1, steps: [{}, { unsure: true }], calls } as unknown as ActionDto
  expect(howFailed(action)).toEqual(told)
  expect(howFailed({ ...action, steps: [] })).toMatchObject({ unsure: false })
})
