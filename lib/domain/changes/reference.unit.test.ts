import { expect, test } from 'vitest'
import { isAsked, movesNow } from './reference'
import type { FieldChange } from './types'

const date: FieldChange = { object: 'machine', path: 'rollout.after', desired: '2099-01-01T00:00:00Z' }
const name: FieldChange = { object: 'machine', path: 'infrastructureRef.name', current: 'a', desired: 'b' }
const pair = (...changes: FieldChange[]) => ({ later: true as const, certainReplace: 'by its date', changes }) as never

test('a template of another name moves machines at once, whatever date comes besides', () => {
  expect([movesNow(pair(date)), isAsked(pair(date))]).toEqual([false, false])
  expect([movesNow(pair(name, date)), isAsked(pair(name, date))]).toEqual([true, true])
})
