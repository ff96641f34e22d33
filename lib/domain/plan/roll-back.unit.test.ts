import { describe, expect, it, test } from 'vitest'
import { managedInstead, writesBackWords } from './roll-back'

const at = '2026-11-20T08:30:00Z'

describe('who would write back what is rolled back', () => {
  test.each([
    ['argocd-controller', false, /^argocd-controller \(last 2026-11-20 08:30 UTC\) writes .*Argo CD .* within minutes/],
    ['kustomize-controller', true, /Flux writes them back at its next interval/],
    ['helm-controller', false, /Flux writes them back/],
    ['helm', false, /the next upgrade of its release writes them back/],
    ['kubectl-client-side-apply', false, /whoever applies that file again/],
    ['kubectl', true, /whoever applies that file again/],
    ['our-gitops', true, /^our-gitops .* it writes them back when it applies them next/],
  ] as const)('%s (applies: %s): %s', (manager, applies, words) => {
    const said = writesBackWords([{ manager, applies, at }])
    expect(said[0]).toMatch(words)
    expect(said.at(-1)).toMatch(/^Write the former state there as well/)
  })
  it('nobody, where somebody wrote them by hand', () => {
    expect(writesBackWords([{ manager: 'kubectl-edit', applies: false, at }])).toEqual([])
    expect(writesBackWords([])).toEqual([])
  })
})

test.each([
  ['a version', { from: 'v1.33.6', to: 'v1.34.2' }, /spec\.topology\.version of the Cluster prod, .* not let go down/],
  ['anything else', { from: null, to: null }, /Take back what was changed in spec\.topology of the Cluster prod/],
] as const)('what to change instead of a group of a ClusterClass: %s', (_, versions, words) =>
  expect(managedInstead('prod', versions)).toMatch(words),
)
