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

const [BEFORE, LATER] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
const RECORD = {
  spec: { skew: { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.22.4', rhcosVersion: null } } },
}
const MODES = { 'f:skew': { 'f:mode': {}, 'f:manual': { 'f:mode': {} } } }
const VERSION = { 'f:skew': { 'f:manual': { 'f:ocpVersion': {} } } }
const ALL = { 'f:skew': { 'f:mode': {}, 'f:manual': { 'f:mode': {}, 'f:ocpVersion': {} } } }

test.each<[string, ReturnType<typeof entry>[], boolean]>([
  ['all of it Drydock’s', [entry('drydock', LATER, ALL)], false],
  ['its newest part somebody else’s', [entry('drydock', BEFORE, MODES), entry('kubectl-patch', LATER, VERSION)], true],
  ['of one moment', [entry('drydock', BEFORE, MODES), entry('kubectl-patch', BEFORE, VERSION)], true],
  ['its newest part Drydock’s', [entry('kubectl-patch', BEFORE, MODES), entry('drydock', LATER, VERSION)], false],
  ['as a whole somebody else’s', [entry('kubectl-patch', LATER, { 'f:skew': {} })], true],
  ['as a whole Drydock’s', [entry('drydock', LATER, { 'f:skew': {} })], false],
  ['as a whole both’s', [entry('drydock', BEFORE, { 'f:skew': {} }), entry('argocd', LATER, ALL)], false],
  ['beside what was sent', [entry('drydock', BEFORE, ALL), entry('kubectl', LATER, { 'f:logLevel': {} })], false],
])('what was sent is, %s, others’: %#', (_, entries, theirs) => {
  expect(isTheirs(RECORD, written(...entries))).toBe(theirs)
})
