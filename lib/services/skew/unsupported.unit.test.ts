import { expect, test } from 'vitest'
import { unsupported } from './unsupported'

test.each([
  ['no-field', 'OpenShift 4.21.3 on m does not know boot image skew.', 'do without'],
  ['not-read', 'Whether OpenShift 4.21.3 on m knows boot image skew could not be read.', 'again every two minutes'],
])('%s: the refusal says no more than what is known', (availability, message, hint) => {
  const error = unsupported({ version: '4.21.3', availability }, 'do without', ' on m')
  expect(error).toMatchObject({ code: 'invalid', message })
  expect(error.more.hint).toContain(hint)
})
