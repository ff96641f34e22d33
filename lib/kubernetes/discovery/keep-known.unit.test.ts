import { expect, test } from 'vitest'
import type { Capabilities } from '@/lib/domain/capabilities'
import { keepKnown } from './keep-known'

type OpenShift = NonNullable<Capabilities['openshift']>
const managed = { spec: true, status: true, none: true }
const unread = { version: '4.22.4', skew: null, controlPlanes: null, managed: null, machineApi: true }
const known = { ...unread, skew: true, controlPlanes: true, managed }
const lacking = { ...unread, skew: false, controlPlanes: false, managed }
const on = (openshift: OpenShift | null, uid = 'a') => ({ uid, openshift }) as unknown as Capabilities

test.each<[string, OpenShift, Capabilities | null, OpenShift]>([
  ['nothing was found before', unread, null, unread],
  ['it was no OpenShift before', unread, on(null), unread],
  ['it was read', lacking, on(known), lacking],
  ['the same release had it', unread, on(known), known],
  ['the same release lacked it', unread, on(lacking), lacking],
  ['a release before had it', unread, on({ ...known, version: '4.22.3' }), { ...known, managed: null }],
  ['a release before lacked it', unread, on({ ...lacking, version: '4.21.9' }), unread],
  ['it is another cluster', unread, on(known, 'b'), unread],
])('of a schema that could not be read, what was found before is kept: %s', (_, found, before, expected) => {
  expect(keepKnown(on(found), before).openshift).toEqual(expected)
})
