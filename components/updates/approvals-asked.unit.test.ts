import { expect, test } from 'vitest'
import { approvalsWords, asksOneMore } from './approvals-asked'

const GOES = { goes: true, why: '' }
const STAYS = { goes: false, why: 'Its control plane is held.' }
const rules = (notTheAuthor: boolean) => ({ notTheAuthor: { value: notTheAuthor, policy: null } })

test.each([
  ['the author may approve', { rules: rules(false), authorKnown: false, unasked: null }, false],
  ['who wrote it is known', { rules: rules(true), authorKnown: true, unasked: null }, false],
  ['who wrote it is not known', { rules: rules(true), authorKnown: false, unasked: null }, true],
  ['nobody is asked, and it stays', { rules: rules(true), authorKnown: false, unasked: STAYS }, true],
  ['nobody is asked, and it goes', { rules: rules(true), authorKnown: false, unasked: GOES }, false],
])('one more is asked where it may have to be: %s', (_, asked, more) =>
  expect(asksOneMore(asked as unknown as Parameters<typeof asksOneMore>[0])).toBe(more),
)

test('what goes by itself asks for nobody, and not for one more', () => {
  const words = (unasked: object | null, oneMore: boolean, n = 0) =>
    approvalsWords(n, { unasked: unasked as Parameters<typeof approvalsWords>[1]['unasked'], oneMore })
  expect(words(GOES, false)).toBe('none: it goes by itself when nothing else holds it')
  expect(words(STAYS, true)).toBe('none, but it does not go by itself. Its control plane is held.')
  expect(words({ ...STAYS, why: 'Not known.', open: true }, true)).toBe(
    'none, but it does not go by itself yet. Not known.',
  )
  expect(words(null, false, 2)).toBe('2 approvals')
  const rejected = (n: number) => approvalsWords(n, { unasked: null, oneMore: false, rejected: true })
  expect(rejected(0)).toBe('none, but it was rejected: somebody has to approve it')
  expect(rejected(2)).toBe('2 approvals')
  expect(words(null, true, 2)).toBe('2 approvals, and one more: who wrote the change is not known')
})
