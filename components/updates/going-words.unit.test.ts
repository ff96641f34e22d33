import { expect, test } from 'vitest'
import { timingDto, type TimingDto } from '@/lib/services/policies/timing'
import { goingWords, thenKeptWords, thenWords } from './timing-words'

const WINDOW: TimingDto = {
  ...{ ...timingDto({ open: true, until: null }), open: false, why: 'window', policy: 'nights' },
  ...{ opens: '2026-11-28T21:00:00.000Z', zone: 'Europe/Berlin' },
}

test.each([
  [{ due: true, goes: false }, false, 'It is approved, and goes by itself then.'],
  [{ due: true, goes: false }, true, 'It is approved, and what has not begun goes by itself then.'],
  [{ due: true, goes: true }, true, 'Its policy asks nobody, and what has not begun goes by itself then.'],
  [{ due: true, goes: true }, false, 'Its policy asks nobody, and it goes by itself then.'],
  [{ due: false, goes: true }, true, 'What has not begun goes by itself then.'],
  [{ due: false, goes: true }, false, 'It goes by itself then.'],
  [{ due: false, goes: false }, false, 'What is approved goes by itself then.'],
])('what goes at its time: %j, begun %s', (of, begun, words) =>
  expect(thenWords(WINDOW, null, goingWords(of, begun), of.due)).toBe(words),
)

test('of what somebody paused themselves only Drydock’s own hold goes at its time', () => {
  expect(thenKeptWords(WINDOW, 'group')).toBe(
    'Drydock’s own hold goes by itself then; somebody’s own pause keeps it, and nothing moves before that pause is taken away.',
  )
  expect(thenKeptWords(WINDOW, 'both')).toMatch(/, and nothing moves before both pauses are taken away\.$/)
})
