import { expect, test } from 'vitest'
import { letGoByWords } from './let-go-by'

const by = (...names: string[]) => ({ approvals: names.map((actorName) => ({ actorName })) })
test.each([
  ['replace', null, 'approved replacing by Cy'],
  ['in-place', by('Ada'), 'approved in place by Cy'],
  ['replace', by('Ada', 'Cy'), 'approved replacing by Ada and Cy'],
  ['replace', by('Ada', 'Bo', 'Cy'), 'approved replacing by Ada and 2 others'],
  [
    'replace',
    { ...by(), byItself: true, rules: { approvals: { policy: { name: 'dev' } } } },
    'let go replacing by the policy dev, which asks nobody',
  ],
  [
    'in-place',
    { ...by(), byItself: true, rules: { approvals: { policy: null } } },
    'let go in place by its policy, which asks nobody',
  ],
])('%s, %j: %s', (mode, policy, words) => {
  expect(letGoByWords({ mode, actorName: 'Cy', policy })).toBe(words)
})
