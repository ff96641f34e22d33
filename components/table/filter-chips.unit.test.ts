import { expect, test } from 'vitest'
import { termWords } from './filter-chips'

const facets = [
  { key: 'nodes', title: 'New machines', values: [], words: { likely: 'may not join', no: 'not below the floor' } },
  { key: 'platform', title: 'Platform', values: [] },
]
const term = { key: 'nodes', not: false, operator: '=' as const, values: ['likely'] }

test('a filter is called as what can be chosen beside it', () => {
  expect(termWords(term, facets)).toBe('New machines: may not join')
  expect(termWords({ ...term, not: true, values: ['Likely', 'other'] }, facets)).toBe(
    'New machines: not may not join or other',
  )
  expect(termWords(term)).toBe('nodes is likely')
  expect(termWords({ ...term, key: 'platform', values: ['aws', 'gcp'] }, facets)).toBe('platform is aws or gcp')
  expect(termWords({ ...term, key: 'version', operator: '<', values: ['4.22'] }, facets)).toBe('version < 4.22')
})
