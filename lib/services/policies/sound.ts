import { followProblem } from '@/lib/domain/calendar'
import { POOL } from '@/lib/domain/latch/hold'
import { durationOf, isNone, meansNothing, RULE_WORDS, type PolicySpec, type Rules } from '@/lib/domain/policies'

export interface Unsound {
  path: (string | number)[]
  message: string
}

/** What is wrong with a policy that is written anew, though each of its words can be read: more than is asked of what is read again and again. */
export const unsound = (spec: PolicySpec): Unsound[] => [
  ...rolling(spec),
  ...forNobody(spec),
  ...agesOutOfOrder(spec),
  ...endless(spec),
]

const rolling = ({ maxSurge, maxUnavailable }: PolicySpec): Unsound[] =>
  isNone(maxSurge) && isNone(maxUnavailable)
    ? [
        {
          path: ['maxUnavailable'],
          message: 'With both 0 no machine could ever move: write 1 here, or leave maxSurge out.',
        },
      ]
    : []

const GROUPS: Record<string, string> = {
  MachineDeployment: 'worker groups',
  KubeadmControlPlane: 'control planes',
  MachineConfigPool: 'pools',
}

/** What holds for none of the kinds that it names looks as if it held. */
function forNobody({ select, ...rules }: PolicySpec): Unsound[] {
  const kinds = [...new Set(select.kinds ?? [])]
  const [kind] = kinds
  if (kinds.length !== 1) return []
  return (Object.keys(RULE_WORDS) as (keyof Rules)[]).flatMap((rule): Unsound[] => {
    const value = rules[rule]
    const why =
      value === undefined ? null : meansNothing(rule, value as never, { kind: kind!, strategy: 'RollingUpdate' })
    if (!why) return []
    const instead = rule === 'maxSurge' && kind !== POOL ? 'Write 0 or 1, or leave it out.' : 'Leave it out.'
    const what = why.replace(/^it is/, 'this rule is')
    return [{ path: [rule], message: `This policy is for ${GROUPS[kind!] ?? kind} only, and ${what}. ${instead}` }]
  })
}

const AGES = [
  ['remindAfter', 'people are reminded'],
  ['escalateAfter', 'everybody sees it'],
  ['holdLimit', 'it is called dangerous'],
] as const

/** Each age is more pressing than the one before; what is said by one policy has to be in that order. */
function agesOutOfOrder(spec: PolicySpec): Unsound[] {
  const said = AGES.flatMap(([rule, words]) => {
    const value = spec[rule]
    const ms = value === undefined ? null : durationOf(value)
    return ms === null ? [] : [{ rule, words, value, ms }]
  })
  return said.flatMap((later, i): Unsound[] => {
    const earlier = said[i - 1]
    if (!earlier || earlier.ms <= later.ms) return []
    const message = `After ${later.value} ${later.words}, and only after ${earlier.value} ${earlier.words}: write ${earlier.value} or more here, or have it sooner that ${earlier.words}.`
    return [{ path: [later.rule], message }]
  })
}

/** A rule that goes around in circles would be followed again and again. */
const endless = ({ windows, freezes }: PolicySpec): Unsound[] =>
  (
    [
      ['windows', windows === 'always' ? [] : (windows ?? [])],
      ['freezes', freezes ?? []],
    ] as const
  ).flatMap(([what, all]) =>
    all.flatMap((span, i): Unsound[] => {
      const message = followProblem(span)
      return message ? [{ path: [what, i, 'repeats'], message }] : []
    }),
  )
