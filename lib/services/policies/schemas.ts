import * as z from 'zod'
import { spanProblems } from '@/lib/domain/calendar'
import { REST } from '@/lib/domain/waves'
import {
  DELETION_ORDERS,
  isDuration,
  limitFrom,
  shareFrom,
  STRATEGIES,
  type FailureLimit,
  type PolicySpec,
  type Wave,
  type Share,
} from '@/lib/domain/policies'
import { unsound } from './sound'
import { unknownWords } from './unknown-words'

const MOST_NAMES = 100

/** A list that somebody's template left empty must not become every group. */
const EMPTY = 'It is empty: leave it out where it is not to restrict.'

const names = (what: string) =>
  z
    .array(
      z
        .string(`Names of a ${what} are texts.`)
        .trim()
        .max(253, `The name of a ${what} has at most 253 characters.`)
        .regex(/^[A-Za-z0-9*]([-A-Za-z0-9._*]*[A-Za-z0-9*])?$/, `This is no name of a ${what}, nor a pattern with *.`),
      `Write the names of a ${what} as a list.`,
    )
    .min(1, EMPTY)
    .max(MOST_NAMES, `At most ${MOST_NAMES} names of a ${what}.`)
    .optional()

const NO_KEY =
  'This is not the key of a label. In the form, write labels as key=value, each key once; in YAML as key: value.'
const LABEL = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^[-A-Za-z0-9_.*]{0,63}$/

const labels = z
  .unknown()
  // Which would be lost without a word.
  .refine((given) => !(typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')), NO_KEY)
  .pipe(
    z
      .record(
        z.string(),
        z.string('The value of a label is a text; quote it.').regex(LABEL_VALUE, 'This is not the value of a label.'),
        'Write labels as key=value, each key once; in YAML as key: value.',
      )
      .refine((given) => Object.keys(given).every((key) => LABEL.test(key)), NO_KEY)
      .refine((given) => Object.keys(given).length > 0, EMPTY)
      .refine((given) => Object.keys(given).length <= 20, 'At most 20 labels.'),
  )
  .optional()

const KINDS = ['MachineDeployment', 'KubeadmControlPlane', 'MachineConfigPool'] as const

const only = (known: string) => ({
  error: (issue: { code?: string; keys?: unknown }) =>
    issue.code === 'unrecognized_keys'
      ? unknownWords(issue.keys as string[], known.split(', '))
      : 'Write it as key: value.',
})

const SelectInput = z.strictObject(
  {
    clusters: names('management cluster'),
    workloadClusters: names('workload cluster'),
    labels,
    namespaces: names('namespace'),
    kinds: z
      .array(
        z.enum(KINDS, 'A group is a MachineDeployment, a KubeadmControlPlane or a MachineConfigPool.'),
        'Write kinds as a list.',
      )
      .min(1, EMPTY)
      .optional(),
    names: names('group'),
  },
  only('clusters, workloadClusters, labels, namespaces, kinds, names'),
)

const MOST_SPANS = 20
const SpanInput = z
  .strictObject(
    {
      starts: z.string('Write local time as 2026-11-24T22:00.').trim(),
      ends: z.string('Write local time as 2026-11-24T22:00.').trim().optional(),
      lasts: z.string('Write a time as 30m, 4h or 2d.').trim().optional(),
      repeats: z
        .string('Write a rule as FREQ=WEEKLY;BYDAY=TU,TH.')
        .trim()
        .max(200, 'This rule is too long.')
        .optional(),
      timeZone: z.string('Name a time zone, as Europe/Berlin.').trim().max(64, 'There is no such time zone.'),
      why: z.string('Write a text.').trim().max(200, 'At most 200 characters.').optional(),
    },
    only('starts, ends, lasts, repeats, timeZone, why'),
  )
  .superRefine((span, context) => {
    for (const { field, message } of spanProblems(span)) context.addIssue({ code: 'custom', path: [field], message })
  })
const spans = (what: string) =>
  z.array(SpanInput, `Write ${what} as a list.`).min(1, EMPTY).max(MOST_SPANS, `At most ${MOST_SPANS} ${what}.`)
/** Each problem of a part, told by the whole. */
function tell(issues: readonly z.core.$ZodIssue[], context: z.core.$RefinementCtx): void {
  for (const { message, path, ...issue } of issues) {
    // Where the word stands that is not known; what was told of a part is told on.
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : []
    const params = issue.code === 'custom' ? issue.params : key ? { key } : undefined
    context.addIssue({ code: 'custom', message, path: [...path], ...(params ? { params } : {}) })
  }
}

/** A list, or the word that takes back what wider policies say; of a list, each part's own problem is told. */
const orWord = <T, Word extends string>(word: Word, list: z.ZodType<T>) =>
  z.unknown().transform((value, context): Word | T => {
    if (value === word) return word
    const parsed = list.safeParse(value)
    if (parsed.success) return parsed.data
    tell(parsed.error.issues, context)
    return z.NEVER
  })

const MOST_WAVES = 50
const WaveInput = z.strictObject(
  {
    name: z
      .string('Give each wave a name.')
      .trim()
      .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'A name has lower-case letters, digits and hyphens, at most 63.'),
    select: SelectInput.optional(),
    size: z
      .unknown()
      .transform((given, context): Share => {
        const size = shareFrom(given)
        if (size !== null) return size
        context.addIssue({ code: 'custom', message: 'Write a number of groups, or a share of them as 10%.' })
        return z.NEVER
      })
      .optional(),
    soak: z
      .string('Write a time as 30m, 24h or 7d: in minutes, hours or days.')
      .trim()
      .refine(
        (text) => text !== 'never' && isDuration(text),
        'Write a time as 30m, 24h or 7d: in minutes, hours or days.',
      )
      .optional(),
    ownApproval: z.boolean('Say true or false.').optional(),
  },
  only('name, select, size, soak, ownApproval'),
)
const waves: z.ZodType<Wave[]> = z
  .array(WaveInput, 'Write waves as a list.')
  .min(1, EMPTY)
  .max(MOST_WAVES, `At most ${MOST_WAVES} waves.`)
  .superRefine((all, context) => {
    const issue = (i: number, field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [i, field], message })
    for (const [i, { name, select, size }] of all.entries()) {
      const takesAll = size === undefined && Object.keys(select ?? {}).length === 0
      if (all.findIndex((one) => one.name === name) < i) issue(i, 'name', 'There is another wave of this name.')
      if (takesAll && i < all.length - 1)
        issue(i, 'size', 'It takes every group, so nothing is left for those after it.')
      if (name === REST && !(takesAll && i === all.length - 1))
        issue(i, 'name', 'The last wave is called rest, and takes what fits no other one.')
    }
  })

const holdTime = z
  .string('Write a time as 12h, 3d or never: in minutes, hours or days.')
  .trim()
  .refine(isDuration, 'Write a time as 12h, 3d or never: in minutes, hours or days.')
  .optional()

const timeOut = z
  .string('Write a time as 10m, 1h or never: in minutes, hours or days.')
  .trim()
  .refine(isDuration, 'Write a time as 10m, 1h or never: in minutes, hours or days.')
  .optional()

const MACHINES = 'Write a number of machines, or a share of them as 25%, at most 100%.'
const machinesOrShare = z.unknown().transform((given, context): number | string => {
  const text = String(given).trim()
  if (/^\d{1,4}$/.test(text)) return Number(text)
  if (typeof given === 'string' && /^(\d|[1-9]\d|100)%$/.test(text)) return text
  context.addIssue({ code: 'custom', message: MACHINES })
  return z.NEVER
})

export const SpecInput = z.strictObject(
  {
    select: SelectInput.default({}),
    strategy: z.enum(STRATEGIES, `A strategy is one of: ${STRATEGIES.join(', ')}.`).optional(),
    approvals: z
      .int('Approvals are a whole number from 0 to 10.')
      .min(0, 'Approvals are a whole number from 0 to 10.')
      .max(10, 'Approvals are a whole number from 0 to 10.')
      .optional(),
    notTheAuthor: z.boolean('Say true or false.').optional(),
    reasonRequired: z.boolean('Say true or false.').optional(),
    expiresAfter: z
      .string('Write a time as 30m, 24h, 7d or never: in minutes, hours or days.')
      .trim()
      .refine(isDuration, 'Write a time as 30m, 24h, 7d or never: in minutes, hours or days.')
      .optional(),
    stopsAt: z
      .unknown()
      .transform((given, context): FailureLimit => {
        const limit = limitFrom(given)
        if (limit !== null) return limit
        context.addIssue({ code: 'custom', message: 'Write a number of machines, a share of them as 10%, or never.' })
        return z.NEVER
      })
      .optional(),
    readyWithin: z
      .string('Write a time as 15m, 1h or never: in minutes, hours or days.')
      .trim()
      .refine(isDuration, 'Write a time as 15m, 1h or never: in minutes, hours or days.')
      .optional(),
    remindAfter: holdTime,
    escalateAfter: holdTime,
    holdLimit: holdTime,
    scaleWhileHeld: z.boolean('Say true or false.').optional(),
    ...{ maxSurge: machinesOrShare.optional(), maxUnavailable: machinesOrShare.optional() },
    deletionOrder: z
      .enum(DELETION_ORDERS, `The machine that goes first is one of: ${DELETION_ORDERS.join(', ')}.`)
      .optional(),
    ...{ drainTimeout: timeOut, detachTimeout: timeOut },
    updaterOrder: z
      .array(
        z.string('Names of updaters are texts.').trim().min(1, 'Name an updater.').max(63),
        'Write names as a list.',
      )
      .min(1, EMPTY)
      .max(50, 'At most 50 updaters.')
      .optional(),
    windows: orWord('always', spans('windows')).optional(),
    freezes: spans('freezes').optional(),
    waves: orWord('none', waves).optional(),
  },
  only(
    'select, strategy, approvals, notTheAuthor, reasonRequired, expiresAfter, stopsAt, readyWithin, remindAfter, escalateAfter, holdLimit, scaleWhileHeld, maxSurge, maxUnavailable, deletionOrder, drainTimeout, detachTimeout, updaterOrder, windows, freezes, waves',
  ),
) satisfies z.ZodType<PolicySpec>

const NAME =
  'A name has lower-case letters, digits and hyphens, at most 63, and begins and ends with a letter or a digit.'
const PolicyName = z
  .string('Give the policy a name.')
  .trim()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, NAME)

const PolicyId = z.uuid('This is not the id of a policy.')
const Version = z.int('Say which version you looked at.').min(1, 'Say which version you looked at.')

/** What is written anew: also of what cannot be read as a whole, all that is wrong is told. */
const NewSpec = z.unknown().transform((given, context): z.infer<typeof SpecInput> => {
  const parsed = SpecInput.safeParse(given)
  if (!parsed.success) tell(parsed.error.issues, context)
  for (const { path, message } of unsound(parsed.data ?? readable(given)))
    context.addIssue({ code: 'custom', path, message })
  return parsed.data ?? z.NEVER
})

/** The rules of it that can be read. */
function readable(given: unknown): PolicySpec {
  const rules: Record<string, unknown> = typeof given === 'object' && given !== null ? { ...given } : {}
  const parsed = Object.entries(SpecInput.shape).map(([key, rule]) => [key, rule.safeParse(rules[key]).data] as const)
  return { select: {}, ...Object.fromEntries(parsed.filter(([, rule]) => rule !== undefined)) }
}

/** The digest of what it was seen to let go at once; absent: nobody looked. */
const Goes = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'This is not what a look at it said.')
  .optional()
/** Without id: a new one. With it: the version that was looked at, so that nobody's change is lost. */
export const SavePolicyInput = z.object({
  policyId: PolicyId.optional(),
  version: Version.optional(),
  name: PolicyName,
  spec: NewSpec,
  goes: Goes,
})
export const RemovePolicyInput = z.object({ policyId: PolicyId, version: Version, goes: Goes })
export const PreviewPolicyInput = z.object({
  policyId: PolicyId.optional(),
  // It may still be missing.
  name: z
    .string()
    .trim()
    .refine((text) => text === '' || PolicyName.safeParse(text).success, NAME),
  spec: NewSpec,
})
export const SimulatePolicyInput = PreviewPolicyInput.extend({
  groupId: z.uuid('This is not the id of a group.').optional(),
})
export const PolicyVersionsInput = z.object({ policyId: PolicyId })
export const PreviewImportInput = z.object({
  text: z.string('Paste policies as YAML.').min(1, 'Paste policies as YAML.').max(500_000, 'At most 500 kB at once.'),
})
export const ImportPoliciesInput = PreviewImportInput.extend({
  /** What was there under the names of the text when it was looked at; null: nothing was. Absent: nobody looked. */
  looked: z
    .array(z.object({ name: PolicyName, was: z.object({ id: PolicyId, version: Version }).nullable() }))
    .optional(),
  goes: Goes,
})
