import { expect, test } from 'vitest'
import { versionsApart } from './words'

test('what a version says and the one before did not', () => {
  const before = { select: { names: ['a'] }, approvals: 1, maxSurge: 2 }
  const now = { select: { names: ['a', 'b'] }, approvals: 2, maxSurge: 2 }
  const { gone, come } = versionsApart(now, before)
  expect(gone).toEqual([expect.stringMatching(/^for .*a/), '1 approval'])
  expect(come).toEqual([expect.stringMatching(/^for .*b/), '2 approvals'])
  expect(versionsApart(now, now)).toEqual({ gone: [], come: [] })
})
