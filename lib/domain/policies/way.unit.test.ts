import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outcome, Outlook } from '../changes/types'
import { wayByItself, whyNotThisWay, type PolicySpec } from './index'
import { saying } from './testing/group'

const outcome = (counts: Outcome['counts'], more: Partial<Outcome> = {}): Outcome => ({
  ...{ counts, created: 0, deleted: 0, headline: '' },
  ...more,
})
const REPLACED = outcome({ replace: 3 }, { created: 3, deleted: 3 })
const looks = (inPlace: Outcome | null, more: Partial<Outlook> = {}): Outlook => ({
  ...{ inPlace, replace: REPLACED, uncovered: [] },
  ...(inPlace ? {} : { whyNotInPlace: 'No updater covers machine: failureDomain.' }),
  ...more,
})
const WHOLE = looks(outcome({ 'in-place': 3 }))
const SPARE = looks(outcome({ 'in-place-with-spare': 2, replace: 1 }, { spare: 1, deleted: 1 }))
const PARTLY = looks(outcome({ 'in-place': 2, replace: 1 }, { deleted: 1 }))
const NEVER = looks(null)

describe('which way', () => {
  test.each<[string, 'in-place' | 'replace', Outlook, string | null]>([
    ['prefer-in-place', 'in-place', WHOLE, null],
    ['prefer-in-place', 'replace', NEVER, null],
    ['replace', 'replace', WHOLE, null],
    ['replace', 'in-place', WHOLE, 'The policy p asks for new machines: approve replacing.'],
    ['in-place-only', 'in-place', WHOLE, null],
    ['in-place-only', 'in-place', SPARE, null],
    [
      'in-place-only',
      'in-place',
      PARTLY,
      'The policy p allows in place only, and 1 machine of this would be replaced.',
    ],
    [
      'in-place-only',
      'in-place',
      looks(outcome({ 'in-place-with-spare': 8, replace: 4 }, { spare: 1, deleted: 4 })),
      'The policy p allows in place only, and 3 machines of this would be replaced, besides 1 for the spare.',
    ],
    ['in-place-only', 'replace', WHOLE, 'The policy p allows in place only, and nothing else instead.'],
    [
      'in-place-only',
      'replace',
      NEVER,
      'The policy p allows in place only, and nothing else instead. No updater covers machine: failureDomain.',
    ],
  ])('%s: %s', (strategy, mode, outlook, wanted) =>
    expect(whyNotThisWay(mode, saying({ strategy: strategy as 'replace' }), outlook)).toBe(wanted),
  )

  test.each<[string, Omit<PolicySpec, 'select'>, Outlook, string, 'in-place' | 'replace' | null]>([
    ['nothing is said', {}, WHOLE, 'MachineDeployment', null],
    ['one is asked', { approvals: 1 }, WHOLE, 'MachineDeployment', null],
    ['nobody is asked', { approvals: 0 }, WHOLE, 'MachineDeployment', 'in-place'],
    ['with a spare', { approvals: 0 }, SPARE, 'MachineDeployment', 'in-place'],
    ['a part is replaced', { approvals: 0 }, PARTLY, 'MachineDeployment', null],
    ['not in place', { approvals: 0 }, NEVER, 'MachineDeployment', null],
    ['replacing is wanted', { approvals: 0, strategy: 'replace' }, WHOLE, 'MachineDeployment', 'replace'],
    ['of a control plane', { approvals: 0, strategy: 'replace' }, WHOLE, 'KubeadmControlPlane', null],
    ['control plane in place', { approvals: 0 }, WHOLE, 'KubeadmControlPlane', 'in-place'],
    ['control plane with a spare', { approvals: 0 }, SPARE, 'KubeadmControlPlane', null],
    [
      'control plane that nothing is known of',
      { approvals: 0 },
      looks(outcome({ 'up-to-date': 3 })),
      'KubeadmControlPlane',
      null,
    ],
    ['it cannot begin', { approvals: 0 }, looks(outcome({}), { blocked: 'x' }), 'MachineDeployment', null],
  ])('by itself: %s', (_, spec, outlook, kind, wanted) => expect(wayByItself(saying(spec), outlook, kind)).toBe(wanted))

  test('what goes by itself is never forbidden', () => {
    const strategies = fc.constantFrom('in-place-only' as const, 'prefer-in-place' as const, 'replace' as const)
    fc.assert(
      fc.property(strategies, fc.constantFrom(WHOLE, SPARE, PARTLY, NEVER), (strategy, outlook) => {
        const held = saying({ strategy, approvals: 0 })
        const way = wayByItself(held, outlook, 'MachineDeployment')
        if (way) expect(whyNotThisWay(way, held, outlook)).toBeNull()
      }),
    )
  })
})
