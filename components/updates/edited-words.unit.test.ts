import { expect, test } from 'vitest'
import { editedShort, editedWords } from './edited-words'
import { decided } from './testing'

const at = '2026-11-28T11:05:02.000Z'
const edited = { at, objects: ['KubeadmConfigTemplate w'] }
const letGo = { ...decided('in-place', 'voided')!, acceptedAt: at }

test('held again because its configuration was edited: that, and where to read what is not shown', () => {
  expect(editedShort({ edited, decision: letGo })).toBe(
    'Held again: the configuration of its machines was edited since it was approved',
  )
  expect(editedWords({ edited, decision: letGo })).toMatch(
    /approved, beside what differs\. .* not kept: read KubeadmConfigTemplate w before you approve it\.$/,
  )
})

test('let go by a policy that asks nobody, nobody is said to have approved it', () =>
  expect(editedShort({ edited, decision: { ...letGo, byItself: 'prod' } })).toBe(
    'Held again: the configuration of its machines was edited since it was let go',
  ))

test('not let go by then, it is its approvals that are over', () => {
  expect(editedShort({ edited, decision: null })).toMatch(/^Its approvals are over: the configuration/)
  expect(editedShort({ edited, decision: decided('reject') })).toMatch(/^Its approvals are over/)
})

test('where what was edited is not on record, all of its templates may be it', () => {
  const words = editedWords({ edited: { at, objects: [] }, decision: letGo })
  expect(words).toContain('read the templates of its machines before')
  expect(editedWords({ edited: { at, objects: ['AConfig a', 'ATemplate b'] }, decision: null })).toContain(
    'read AConfig a and ATemplate b before',
  )
})

test('nothing was edited: nothing is said', () => {
  expect([editedShort({ edited: null, decision: letGo }), editedWords({ decision: null })]).toEqual([null, null])
})
