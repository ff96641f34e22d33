import { expect, it } from 'vitest'
import { lastsWords, othersGave } from './lasting-words'

const lasts = (value: string, missing: number, open: boolean) =>
  lastsWords(
    {
      rules: { expiresAfter: { value, policy: { name: 'prod' } } },
      ...{ ways: { 'in-place': { missing } }, listed: { timing: { open } } },
    } as unknown as Parameters<typeof lastsWords>[0],
    'in-place',
  )

it('says before an approval that it expires, where it does not let the change go at once', () => {
  const words = 'By the policy prod an approval expires after 2m, unless the change is let go by then.'
  expect([lasts('2m', 2, true), lasts('2m', 1, false)]).toEqual([words, words])
  expect([lasts('2m', 1, true), lasts('never', 2, true)]).toEqual([null, null])
})

it('names who approved it already, and until when that counts', () => {
  const ada = { actorName: 'Ada', mode: 'in-place', mine: false, endedAt: null, whyNot: null }
  const of = (...approvals: object[]) => othersGave({ approvals } as unknown as Parameters<typeof othersGave>[0])
  expect(of({ ...ada, expiresAt: '2026-11-30T19:35:00Z' }, { ...ada, mode: 'replace', expiresAt: null })).toEqual([
    'Ada approved it in place, which expires 2026-11-30 19:35 UTC.',
    'Ada approved it replacing.',
  ])
  expect(of({ ...ada, mine: true }, { ...ada, whyNot: 'expired' }, { ...ada, endedAt: 'then' })).toEqual([])
})
