import { expect, test } from 'vitest'
import { SKEW_VERDICTS } from '@/lib/domain/skew/verdict'
import { VERDICTS, verdictOf } from './words'

test('every verdict has its words, and only what is not known is called unknown', () => {
  expect(verdictOf('unsupported-release').words).toBe('no limit here')
  expect(SKEW_VERDICTS.filter((verdict) => verdictOf(verdict).words === 'unknown')).toEqual(['unknown'])
  for (const other of [null, 'of another release']) expect(verdictOf(other)).toEqual(VERDICTS.unknown)
})
