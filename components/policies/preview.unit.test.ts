import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { isUnanswered, liveWords, Preview, type Shown } from './preview'

test('the live line says how many groups it is for, and how much is wrong', () => {
  const of = (part: Partial<Shown>) => liveWords({ value: undefined, error: null, pending: false, ...part } as Shown)
  const value = { matching: 3 } as Shown['value']
  expect(of({ value })).toBe('3 groups match')
  expect(of({ value, error: { code: 'invalid', message: '', fields } })).toBe('3 groups match · 1 error')
  expect(of({ value, pending: true })).toBe('3 groups match · being looked at…')
  expect(of({ value, error: { code: 'unavailable', message: '' } })).toBe('3 groups match · not looked at')
  expect(of({})).toBe('')
})

const fields = [{ field: 'name', message: 'It has none.' }]

test.each([
  ['the server was not reached', { code: 'unavailable', message: '' }, true],
  ['something in Drydock went wrong', { code: 'internal', message: '' }, true],
  ['what was typed is wrong', { code: 'invalid', message: '', fields }, false],
  ['another policy cannot be read, and is to be mended', { code: 'conflict', message: '' }, false],
] as const)('%s: whether nobody knows what it would do', (_, error, expected) => {
  expect(isUnanswered(error)).toBe(expected)
})

test('until it is looked at, nothing of before is said as what it would do', () => {
  const value = {
    ...{
      matching: 2,
      changing: 0,
      machines: 6,
      groups: [],
      saysNothing: false,
      openings: null,
      waves: null,
      atOnce: null,
    },
    ...{
      idle: [],
      neither: 0,
      neverOpens: false,
      neverOpen: [],
      otherWaves: [],
      overruled: [],
      shortLived: null,
      tooFew: null,
      taken: null,
    },
    ...{ strangeLabels: [], strangeUpdaters: [] },
  } as Shown['value']
  const html = (asked: Partial<Shown>, children?: string) =>
    renderToStaticMarkup(
      createElement(Preview, { asked: { value, error: null, pending: false, ...asked }, mayPlan: false }, children),
    )
  expect(html({})).toContain('none of them would get another rule')
  const looking = html({ pending: true })
  expect(looking).toContain('is being looked at… What stands below is of before.')
  expect(looking).not.toContain('none of them')
  const two = [...fields, { field: 'spec.expiry', message: 'Write a time.' }]
  for (const pending of [true, false]) {
    const wrong = html({ pending, error: { code: 'invalid', message: '', fields: two } }, 'The next rollout')
    const [now, before, ...more] = wrong.split('What stands below is of before.')
    expect(more).toEqual([])
    // All that is wrong now stands above it, and is not dimmed.
    expect(now).toContain('Write a time.')
    expect(now).not.toContain('opacity')
    expect(before).not.toContain('Write a time.')
    expect(before!.includes('The next rollout')).toBe(pending)
  }
})
