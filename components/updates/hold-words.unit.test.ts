import { expect, it } from 'vitest'
import { levelWords } from './hold-words'
import type { Asked } from './standing-words'

it('says by whose word a hold is too old: where no policy says anything, by what is built in', () => {
  const asked = (policy: object | null) =>
    ({ rules: { remindAfter: { policy }, escalateAfter: { policy } } }) as unknown as Asked
  expect(levelWords('overdue', asked({ name: 'prod' }))).toBe('By its policy everybody sees that by now.')
  expect(levelWords('overdue', asked(null))).toBe('By what is built in everybody sees that by now.')
  expect(levelWords('due', asked(null))).toBe('That is longer than what is built in lets a hold rest unnoticed.')
  expect(levelWords('overdue', { problem: 'x', hint: null } as Asked)).toContain('its policy')
  expect(levelWords('fresh', asked(null))).toBe('')
})
