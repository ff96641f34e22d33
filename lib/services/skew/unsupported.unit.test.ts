import { expect, test } from 'vitest'
import { skewRows } from '@/lib/providers/openshift/skew-rows'
import { objects } from '@/lib/providers/openshift/testing/samples'
import { unsupported } from './unsupported'

const LACKS = 'OpenShift 4.21.3 on m does not know boot image skew.'
const UNREAD = 'Whether OpenShift 4.21.3 on m knows boot image skew could not be read.'

test.each([
  ['no-field', null, LACKS, 'do without'],
  ['not-read', '4.13.0', UNREAD, 'again every two minutes'],
  ['no-configuration', '4.13.0', UNREAD, 'again every two minutes'],
  ['hosted', null, LACKS, 'do without'],
  ['hosted', '4.13.0', UNREAD, 'again every two minutes'],
])('%s, floor %s: the refusal says no more than what is known', (availability, floorOcp, message, hint) => {
  const error = unsupported({ version: '4.21.3', availability, floorOcp }, 'do without', ' on m')
  expect(error).toMatchObject({ code: 'invalid', message })
  expect(error.more.hint).toContain(hint)
})

test('a release that has a limit is not said to lack it where neither its schema nor its MachineConfiguration could be read', () => {
  const unread = objects('automatic', [], { machineConfiguration: undefined })
  const { version, availability, floor } = skewRows(unread, null)
  const { message } = unsupported({ version, availability, floorOcp: floor?.ocp ?? null }, '')
  expect(message).toBe(`Whether OpenShift ${version} knows boot image skew could not be read.`)
})
