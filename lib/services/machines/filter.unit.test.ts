import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FILTER_KEYS, formatFilter, isOn, parseFilter, toggled, type FilterKey } from './filter'

describe('the filter text', () => {
  it.each([
    ['cluster:atlas', [{ key: 'cluster', not: false, operator: '=', values: ['atlas'] }], []],
    ['verdict:!up-to-date', [{ key: 'verdict', not: true, operator: '=', values: ['up-to-date'] }], []],
    ['-phase:Running', [{ key: 'phase', not: true, operator: '=', values: ['Running'] }], []],
    ['-phase:!Running', [{ key: 'phase', not: false, operator: '=', values: ['Running'] }], []],
    ['version:<1.34', [{ key: 'version', not: false, operator: '<', values: ['1.34'] }], []],
    ['version:>=v1.33.6', [{ key: 'version', not: false, operator: '>=', values: ['v1.33.6'] }], []],
    [
      'phase:Failed,Deleting kg8tr',
      [{ key: 'phase', not: false, operator: '=', values: ['Failed', 'Deleting'] }],
      ['kg8tr'],
    ],
    [
      'group:"workers a" "two words"',
      [{ key: 'group', not: false, operator: '=', values: ['workers a'] }],
      ['two words'],
    ],
    ['cluster:* ', [], []],
    ['', [], []],
  ])('%s', (text, terms, words) => {
    expect(parseFilter(text)).toEqual({ terms, words, problems: [] })
  })

  it('says what it does not understand, and filters by the rest', () => {
    const filter = parseFilter('colour:red phase:<3 version:<banana state:failed')
    expect(filter.problems).toHaveLength(3)
    expect(filter.problems[0]).toContain('There is no filter “colour”')
    expect(filter.terms).toEqual([{ key: 'state', not: false, operator: '=', values: ['failed'] }])
  })

  it.each([
    ['state:nonsense', 'There is no state “nonsense”; there are failed,', []],
    ['verdict:repalce', 'There is no verdict “repalce”; there are up-to-date,', []],
    ['role:boss', 'There is no role “boss”; there are control-plane, worker.', []],
    ['error:maybe', 'There is no error “maybe”; there are yes, no.', []],
    ['state:Failed,nonsense', 'There is no state “nonsense”', ['Failed']],
    ['cluster:', '“cluster:” stands without a value: management or workload cluster.', []],
    ['state:failed group:"work', 'A quotation mark is opened and not closed.', ['failed', 'work']],
  ])('%s says so', (text, problem, values) => {
    const { problems, terms } = parseFilter(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
    expect(terms.flatMap((term) => term.values)).toEqual(values)
  })

  it('never throws, and what it writes it reads again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const filter = parseFilter(text)
        const again = parseFilter(formatFilter(filter))
        expect({ terms: again.terms, words: again.words }).toEqual({ terms: filter.terms, words: filter.words })
      }),
    )
  })

  it('switches a facet on and off', () => {
    const words: Partial<Record<FilterKey, string[]>> = {
      ...{ state: ['failed', 'not-ready'], verdict: ['up-to-date', 'in-place'] },
      ...{ role: ['worker', 'control-plane'], error: ['yes', 'no'] },
    }
    const any = ['Running', 'up-to-date', 'with space', 'a,b']
    const pairs = (Object.keys(FILTER_KEYS) as FilterKey[]).flatMap((key) =>
      (words[key] ?? any).map((value) => [key, value] as const),
    )
    fc.assert(
      fc.property(fc.constantFrom(...pairs), ([key, value]) => {
        const on = toggled('kg8tr', key, value)
        expect(isOn(parseFilter(on), key, value)).toBe(true)
        expect(toggled(on, key, value)).toBe('kg8tr')
      }),
    )
  })
})
