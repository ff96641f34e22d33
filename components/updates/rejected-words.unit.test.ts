import { expect, it } from 'vitest'
import { againstWords } from './rejected-words'
import { change, decided } from './testing'

it('whoever approves what was rejected is told who rejected it, and why', () => {
  const no = { ...decided('reject')!, actorName: 'Ada', reason: 'bad image' }
  const said = (more: Parameters<typeof change>[0]) => againstWords(change(more))
  const goes = 'Enough approvals let it go all the same.'
  expect(said({ state: 'rejected', decision: no })).toBe(`Ada rejected it: “bad image”. ${goes}`)
  expect(said({ state: 'rejected', decision: { ...no, reason: null } })).toBe(`Ada rejected it. ${goes}`)
  expect(said({ state: 'waiting', decision: no })).toBeNull()
})
