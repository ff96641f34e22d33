import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Steps } from '@/components/ui'
import type { ActionDto } from '@/lib/services/openshift/action-row'
import { notOn, stepsOf, waysOn } from './action-steps'

const step = (state: 'stored' | 'failed' | 'open') => ({ label: '', body: {}, state, at: null })

test.each<[what: string, states: ('stored' | 'failed' | 'open')[], leave: string, on: string]>([
  ['nothing is stored', ['failed', 'open'], 'Cancel it', 'To go on, cancel it and decide anew on what is there now.'],
  ['a step is', ['stored', 'failed'], 'Leave it as it stands', 'To go on, leave it as it stands and decide anew on what is there now.'], // prettier-ignore
])('after a conflict where %s, the button is the one that the text names', (_, states, leave, on) => {
  expect(waysOn({ steps: states.map(step) })).toEqual({ leave, on })
})

test('after a way back where there is no going on it is said why', () => {
  const back = { ...step('failed'), cancels: true as const }
  expect(notOn({ steps: [step('stored'), step('open'), back] })).toContain('is not known')
  expect(notOn({ steps: [step('stored'), step('stored'), back] })).toBe(
    'It cannot go on: each of its writes is stored.',
  )
})

test('a step that failed says when it was tried last, so that a try that is refused again is seen', () => {
  const [first, again] = ['2026-11-30T01:00:00.000Z', '2026-11-30T01:05:00.000Z']
  const of = (tried: string) => {
    const steps = [{ ...step('failed'), tried }]
    const [, shown] = stepsOf({ state: 'failed', step: 0, steps } as unknown as ActionDto, '')
    return renderToStaticMarkup(createElement(Steps, { steps: [shown!] }))
  }
  expect(of(first)).toMatch(/not stored, tried <time[^>]*01:00/)
  expect(of(again)).toMatch(/not stored, tried <time[^>]*01:05/)
})

test.each([
  ['failed', {}, 'not stored'],
  ['failed', { unsure: true }, 'not known whether it is stored'],
  ['left', {}, 'not made'],
  ['left', { unsure: true }, 'not known whether it is stored'],
])('a step that is %s, %j: %s', (state, more, words) => {
  const action = { state: 'cancelled', step: 0, steps: [{ label: 'Record 4.22.4', state, at: null, ...more }] }
  expect(stepsOf(action as unknown as ActionDto, '')[1]).toMatchObject({ words })
})
