import { expect, test } from 'vitest'
import { lastPass } from './last-pass'

const pass = { total: 4, reconciled: 3, skipped: 1, degraded: 0, controlPlaneDegraded: 0, errors: null }
const mode = 'Automatic'
const COUNTED = '3 of 4 machine sets are as they should be, 1 skipped.'

test('the last pass is what the operator counts, with its words until they stand above', () => {
  expect(lastPass({ mode, pass, passFailed: null })).toBe(COUNTED)
  const errors = 'error syncing MAPI MachineSet a: failed to fetch arch'
  const failed = { ...pass, skipped: 0, degraded: 1, errors }
  expect(lastPass({ mode, pass: failed, passFailed: null })).toBe(
    `3 of 4 machine sets are as they should be, 1 failed. ${errors}.`,
  )
  expect(lastPass({ mode, pass: failed, passFailed: errors })).toBe(
    '3 of 4 machine sets are as they should be, 1 failed.',
  )
  expect(lastPass({ mode: 'Manual', pass: { ...pass, total: 0 }, passFailed: null })).toBe('')
})

test('of one machine set is spoken as of one', () => {
  const one = { ...pass, total: 1, reconciled: 1, skipped: 0 }
  expect(lastPass({ mode, pass: one, passFailed: null })).toBe('1 of 1 machine set is as it should be.')
})

test('what is counted of a pass that is under way is not said of the last one', () => {
  const begun = { ...pass, reconciled: 0, skipped: 0, underWay: true }
  expect(lastPass({ mode, pass: begun, passFailed: null })).toBe(
    'One is under way; so far 0 of 4 machine sets are as they should be.',
  )
})

test('the counts beside a pass that could not begin are of one before it', () => {
  const errors = 'failed to fetch coreos-bootimages config map: configmap "coreos-bootimages" not found'
  expect(lastPass({ mode, pass: { ...pass, errors }, passFailed: errors })).toBe(
    `It came to no machine set. Of a pass before it: ${COUNTED}`,
  )
  expect(lastPass({ mode, pass: { ...pass, errors }, passFailed: null })).toContain(`${errors}. Of a pass before it:`)
  expect(lastPass({ mode, pass: { ...pass, total: 0, errors }, passFailed: errors })).toBe('It came to no machine set.')
  // The next one is under way: what is counted is its own.
  expect(lastPass({ mode, pass, passFailed: errors })).toBe(COUNTED)
})
