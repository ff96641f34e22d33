import { expect, test } from 'vitest'
import { versionsApart, wrongWords } from './words'

test('what a version says and the one before did not', () => {
  const before = { select: { names: ['a'] }, approvals: 1, maxSurge: 2 }
  const now = { select: { names: ['a', 'b'] }, approvals: 2, maxSurge: 2 }
  const { gone, come } = versionsApart(now, before)
  expect(gone).toEqual([expect.stringMatching(/^for .*a/), '1 approval'])
  expect(come).toEqual([expect.stringMatching(/^for .*b/), '2 approvals'])
  expect(versionsApart(now, now)).toEqual({ gone: [], come: [] })
})

test('what is wrong is said with its place, each once', () => {
  const fields = [
    { field: 'spec.waves.0.soak', message: 'Write a time.' },
    { field: 'spec.freezes.1.starts', message: 'Write a day.' },
    { field: 'spec.freezes.1.starts', message: 'Write a day.' },
    { field: 'name', message: 'Give it a name.' },
  ]
  expect(wrongWords({ fields })).toEqual([
    'wave 1, soak: Write a time.',
    'freeze 2, starts: Write a day.',
    'name: Give it a name.',
  ])
  expect(wrongWords({})).toEqual([])
})
