import { expect, it } from 'vitest'
import { placeWords } from './place-words'

const of = { clusterName: 'half', groupName: 'payments-prod-workers-a', stillHeld: false }

it('says of a group that is not listed why nothing can be decided, and what is still held', () => {
  expect(placeWords({ ...of, place: 'here' })).toBeNull()
  expect(placeWords({ ...of, place: 'disconnected', stillHeld: true })).toBe(
    'half is disconnected: nothing can be decided here. payments-prod-workers-a is still held there.',
  )
  expect(placeWords({ ...of, place: 'disconnected' })).toBe('half is disconnected: nothing can be decided here.')
  expect(placeWords({ ...of, place: 'gone' })).toMatch(/is not there any more/)
  expect(placeWords({ ...of, place: 'unheard' })).toMatch(/not listed yet/)
})
