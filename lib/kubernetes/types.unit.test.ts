import { expect, test } from 'vitest'
import { KubeError } from './types'

test('what the API server quotes of an object has no credentials in it', () => {
  const cause = {
    reason: 'FieldValueInvalid',
    field: 'spec.users[0].passwd',
    message: 'Invalid value: "hunter2": too short',
  }
  const message = `KubeadmConfig "a" is invalid: ${cause.field}: ${cause.message}`
  const status = { kind: 'Status', code: 422, message, details: { name: 'a', causes: [cause] } } as const
  const error = new KubeError(422, { ...status, details: { ...status.details, causes: [cause] } }, 'PATCH')
  expect(error.message).toBe(`KubeadmConfig "a" is invalid: ${cause.field}: Invalid value: "••••••": too short`)
  expect(error.status.details).toEqual({
    name: 'a',
    causes: [{ ...cause, message: 'Invalid value: "••••••": too short' }],
  })
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain('hunter2')
})

test('the rest of it stays as it is', () => {
  const status = {
    kind: 'Status',
    code: 404,
    reason: 'NotFound',
    message: 'secrets "a" not found',
    details: { name: 'a' },
  } as const
  expect(new KubeError(404, status, 'GET').status).toEqual(status)
  expect(new KubeError(500, { kind: 'Status', code: 500 }, 'GET').message).toBe('HTTP 500')
})
