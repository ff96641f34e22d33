import { expect, test } from 'vitest'
import { KubeError, KubeUnreachable } from '@/lib/kubernetes/types'
import { saidBy } from './prove'

const error = (code: number, message: string) => new KubeError(code, { kind: 'Status', code, message }, 'PATCH x')

test('what a refused trial says of the latch, and what says nothing of it', () => {
  expect(saidBy(error(404, 'gone'))).toBeNull()
  expect(saidBy(error(403, 'forbidden'))).toEqual({ untried: 'forbidden' })
  expect(saidBy(error(422, 'invalid'))).toEqual({ untried: 'invalid' })
  expect(saidBy(error(500, 'failed calling webhook "latch.drydock.dev"'))).toBe('refused')
  for (const passing of [error(429, 'too many requests'), error(503, 'away'), new KubeUnreachable('away', 'x')])
    expect(() => saidBy(passing)).toThrow(passing)
})
