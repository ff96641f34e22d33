import { expect, test } from 'vitest'
import type { BatchResult } from '@/lib/services/openshift/batch'
import { chipOf, resultWords } from './results'

const of = (state: string | null) => ({ action: state && { state }, refused: null }) as unknown as BatchResult

test('what does not go on any more is not counted as under way', () => {
  const states = ['seen', 'accepted', 'waiting', 'cancelled', 'superseded', 'superseded', 'overtaken', 'failed', null]
  expect(resultWords(states.map(of))).toBe('1 done, 2 under way, 1 cancelled, 2 decided anew, 3 did not get through.')
  expect(resultWords([of('cancelled')])).toBe('1 cancelled.')
  expect(chipOf(of('superseded')).words).toBe('decided anew')
})
