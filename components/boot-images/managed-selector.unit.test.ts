import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { EMPTY, SelectorRows, type TypedRow } from './managed-selector'

const MISSING = 'Type the name of a label.'
const html = (...typed: Partial<TypedRow>[]) =>
  renderToStaticMarkup(
    createElement(SelectorRows, {
      rows: typed.map((row) => ({ ...EMPTY, ...row })),
      ...{ labels: {}, fields: [{ field: 'sets.rows.0.key', message: MISSING }], onChange: () => {} },
    }),
  )

test('before anything is typed or chosen nothing is wrong, and afterwards what is missing is said', () => {
  expect(html({})).not.toContain(MISSING)
  expect(html({ values: 'a' })).toContain(MISSING)
  expect(html({ operator: 'Exists' })).toContain(MISSING)
})

test('of several lines each control has a name of its own, and only what is typed in is asked about', () => {
  const two = html({}, { values: 'a' })
  for (const name of ['Label of line 1', 'Rule of line 2', 'Values of line 2', 'Remove line 2'])
    expect(two).toContain(`aria-label="${name}"`)
  // What is asked about is the second alone: the problem of the first that was asked about is its.
  expect(two.split(MISSING)).toHaveLength(2)
  expect(two.indexOf(MISSING)).toBeGreaterThan(two.indexOf('Label of line 2'))
  expect(html({ key: 'a' })).not.toContain('of line')
})
