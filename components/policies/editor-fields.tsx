import { problemOf, Select, TextInput } from '@/components/ui'
import type { Failed } from '@/components/live'
import type { Bind } from '@/components/updaters/form'
import { POOL } from '@/lib/domain/latch/hold'
import { SHAPE_RULES, STRATEGIES, type Rules } from '@/lib/domain/policies'
import type { Typed } from './typed'
import { SelectionFields } from './selection-fields'
import { ShapeFields } from './shape-fields'
import { LABELS, shortRule } from './words'

interface Props {
  bind: Bind<Typed>
  fields: Failed['fields']
  builtIn: Rules
  /** A policy that is there keeps its id, and may be called otherwise. */
  readOnly: boolean
}

/** What a policy is for, and what it says. Every field may be left empty. */
export function EditorFields({ bind, fields, builtIn, readOnly }: Props) {
  const problem = (key: string) =>
    problemOf(fields, key) ??
    problemOf(fields, `spec.${key}`) ??
    fields?.find(({ field }) => field.startsWith(`spec.select.${key}`))?.message
  const field = (key: keyof Typed) => ({ ...bind(key), problem: problem(key), readOnly })
  const choice = (key: keyof Typed) => ({ ...bind(key), problem: problem(key), disabled: readOnly })
  // What says nothing of pools is refused where it is for nothing else: it is shown only where something stands in it.
  const isForPools = bind('kinds').value === POOL
  const shown = (...keys: (keyof Typed)[]) => !isForPools || keys.some((key) => bind(key).value !== '')
  const left = (rule: keyof Rules) => `as built in: ${shortRule(rule, builtIn[rule] as never)}`
  return (
    <>
      <TextInput label={LABELS.name} mono autoComplete="off" {...field('name')} placeholder="production" />
      <fieldset className="grid gap-3">
        <legend className="mb-1 text-md font-medium">Which groups</legend>
        <p className="-mt-1 text-sm text-ink-3">
          A group has to fit every field that is filled in, and one of the names in it. <code>*</code> stands for any
          characters. All empty: every group.
        </p>
        <SelectionFields
          bind={(key) => ({ ...bind(key), problem: problem(key) })}
          readOnly={readOnly}
          examples={EXAMPLES}
          labelsHint="All of them have to be there. A key alone: whatever its value."
        />
      </fieldset>
      <fieldset className="grid gap-3">
        <legend className="mb-1 text-md font-medium">What it says of them</legend>
        <Select
          label={LABELS.strategy}
          hint="In place is not without deletions where a group makes a spare machine first (surge): one is replaced by it."
          {...choice('strategy')}
        >
          <option value="">{left('strategy')}</option>
          {STRATEGIES.map((strategy) => (
            <option key={strategy} value={strategy}>
              {STRATEGY[strategy]}
            </option>
          ))}
        </Select>
        <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
          <TextInput
            label={LABELS.approvals}
            mono
            inputMode="numeric"
            {...field('approvals')}
            placeholder={String(builtIn.approvals)}
            hint="How many people. 0: it goes by itself, in place, or replacing where the strategy says so."
          />
          <TextInput
            label={LABELS.expiresAfter}
            mono
            {...field('expiresAfter')}
            placeholder="never expires"
            hint="30m, 24h, 7d or never; for as long as the change is not let go."
          />
          <TextInput
            label={LABELS.stopsAt}
            mono
            {...field('stopsAt')}
            placeholder="never"
            hint="When so many machines failed: 2, or 10% of them. What has begun is finished, the rest is held."
          />
          <TextInput
            label={LABELS.readyWithin}
            mono
            {...field('readyWithin')}
            placeholder={builtIn.readyWithin}
            hint="A machine that is not, so long after its update, has failed, too: 15m, 1h or never."
          />
          <Select label={LABELS.notTheAuthor} {...choice('notTheAuthor')}>
            <option value="">{left('notTheAuthor')}</option>
            <option value="yes">does not count</option>
            <option value="no">counts</option>
          </Select>
          <Select label={LABELS.reasonRequired} {...choice('reasonRequired')}>
            <option value="">{left('reasonRequired')}</option>
            <option value="yes">has to be given</option>
            <option value="no">may be left out</option>
          </Select>
        </div>
      </fieldset>
      {shown(...SHAPE_RULES, 'updaterOrder') && <ShapeFields field={field} choice={choice} left={left} />}
      <fieldset className="grid gap-3">
        <legend className="mb-1 text-md font-medium">While a group is held</legend>
        <p className="-mt-1 text-sm text-ink-3">Its age is said ever more clearly. Nothing is released by age.</p>
        <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
          {shown('scaleWhileHeld') && (
            <Select
              wide
              label={LABELS.scaleWhileHeld}
              {...choice('scaleWhileHeld')}
              hint="Carried through to the machine set that it has; nothing of what waits begins by it."
            >
              <option value="">{left('scaleWhileHeld')}</option>
              <option value="yes">goes on</option>
              <option value="no">waits, too</option>
            </Select>
          )}
          <TextInput
            label={LABELS.remindAfter}
            mono
            {...field('remindAfter')}
            placeholder={builtIn.remindAfter}
            hint="Of those that wait for approvers it comes first, and the object says so: 12h, 3d or never."
          />
          <TextInput
            label={LABELS.escalateAfter}
            mono
            {...field('escalateAfter')}
            placeholder={builtIn.escalateAfter}
            hint="Among what needs people, whatever their role."
          />
          <TextInput
            label={LABELS.holdLimit}
            mono
            {...field('holdLimit')}
            placeholder={builtIn.holdLimit}
            hint="It is called so, and nothing else: certificates are not renewed, and ill machines stay."
          />
        </div>
      </fieldset>
    </>
  )
}

const EXAMPLES = {
  labels: 'env=prod, team=payments',
  workloadClusters: 'payments-*',
  clusters: 'atlas',
  namespaces: 'payments-prod',
  names: '*-gpu-*',
}

const STRATEGY: Record<(typeof STRATEGIES)[number], string> = {
  'in-place-only': 'in place only, and nothing else instead',
  'prefer-in-place': 'in place where that can be, else replacing if approved so',
  replace: 'by new machines',
}
