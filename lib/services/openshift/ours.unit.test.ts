import { expect, test } from 'vitest'
import type { JsonObject } from '@/lib/domain/json'
import { isTheirs, oursSince } from './ours'

const entry = (manager: string, time: string, spec: JsonObject, subresource?: string) => ({
  ...{ manager, time, operation: 'Update', fieldsV1: { 'f:spec': spec } },
  ...(subresource && { subresource }),
})
const written = (...managedFields: ReturnType<typeof entry>[]) =>
  ({ name: 'worker', uid: 'u', resourceVersion: '1', managedFields }) as never
const PAUSE = { spec: { paused: true } }
const PAUSED = { 'f:paused': {} }

test.each([
  ['Drydock', written(entry('drydock', '2026-01-01T00:00:00Z', PAUSED)), '2026-01-01T00:00:00Z', false],
  ['somebody else', written(entry('kubectl', '2026-01-01T00:00:00Z', PAUSED)), null, true],
  ['Drydock, of its status', written(entry('drydock', '2026-01-01T00:00:00Z', PAUSED, 'status')), null, false],
  ['nobody that is known', written(), null, false],
])('what was sent is of %s', (_, metadata, since, theirs) => {
  expect([oursSince(PAUSE, metadata), isTheirs(PAUSE, metadata)]).toEqual([since, theirs])
})

test('in part, or where something is taken away, it is not known to be Drydock’s', () => {
  const ours = written(entry('drydock', '2026-01-01T00:00:00Z', PAUSED))
  expect(oursSince({ spec: { paused: true, other: 1 } }, ours)).toBeNull()
  expect(oursSince({ spec: { paused: null } }, ours)).toBeNull()
})
