import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SelectorRows, type TypedRow } from './managed-selector'

const MISSING = 'Type the name of a label.'
const html = (row: Partial<TypedRow>) =>
  renderToStaticMarkup(
    createElement(SelectorRows, {
      rows: [{ key: '', operator: 'In', values: '', ...row }],
      ...{ labels: {}, fields: [{ field: 'sets.rows.0.key', message: MISSING }], onChange: () => {} },
    }),
  )

test('before anything is typed or chosen nothing is wrong, and afterwards what is missing is said', () => {
  expect(html({})).not.toContain(MISSING)
  expect(html({ values: 'a' })).toContain(MISSING)
  expect(html({ operator: 'Exists' })).toContain(MISSING)
})
