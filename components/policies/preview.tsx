import clsx from 'clsx'
import type { ReactNode } from 'react'
import Link from 'next/link'
import { count, ErrorState, Skeleton, Table, Td, Th, Tr } from '@/components/ui'
import type { Asked } from '@/components/live/use-action'
import { utcAnd } from '@/lib/domain/policies'
import type { PolicyPreview } from '@/lib/services/policies/preview-policy'
import type { PreviewedGroup } from '@/lib/services/policies/previewed-groups'
import { AtOnceLines, atOnceWords } from './at-once'
import { Warnings, warningsOf } from './warnings'
import { changeWords, saidBy, saidParts, wrongWords } from './words'

/** The live half: which groups it is for now, what holds for each, and what would, and what saving it does at once. */
export function Preview({ asked, mayPlan, children }: { asked: Shown; mayPlan: boolean; children?: ReactNode }) {
  const { value, error, pending } = asked
  return (
    <section
      aria-labelledby="preview"
      aria-busy={pending}
      className="min-w-0 scroll-mt-14 min-[1001px]:sticky min-[1001px]:top-14 min-[1001px]:max-h-[calc(100dvh-72px)] min-[1001px]:self-start min-[1001px]:overflow-y-auto min-[1001px]:pr-1 min-[1001px]:[--sticky:0px]"
      // A part that scrolls by itself can be scrolled by keys.
      tabIndex={0}
    >
      <h2 id="preview" className="mb-2">
        What it would do
      </h2>
      {error && <Wrong error={value ? atFields(error) : error} />}
      {!value && !error && (
        <div className="grid gap-2">
          <Skeleton width="60%" />
          <Skeleton height={160} />
        </div>
      )}
      {value && (
        <>
          {/* What it says of before would be taken for what Save does now. */}
          <p role="status" className="mb-2 text-pretty">
            {pending ? `${LOOKING} ${OF_BEFORE}` : error ? OF_BEFORE : headline(value)}
          </p>
          <div className={clsx('transition-opacity', pending ? 'opacity-50' : error && 'opacity-75')}>
            {!pending && error && <p className="mb-2 text-pretty">{headline(value)}</p>}
            <Warnings preview={value} />
            {!pending && !error && value.atOnce && (
              <div className="mb-3">
                <AtOnceLines atOnce={value.atOnce} doing="Saving it" />
              </div>
            )}
            {value.openings && <Openings openings={value.openings} />}
            {value.waves && <Waves waves={value.waves} />}
            {/* It is asked anew by itself: what it says is not of before. */}
            {(pending || !error) && children}
            {value.groups.length > 0 && <Groups preview={value} mayPlan={mayPlan} />}
          </div>
        </>
      )}
    </section>
  )
}

/** Nobody knows what it would do. What cannot be read of other policies is not that: it bars no way out. */
export const isUnanswered = (error: Shown['error']): boolean =>
  (error?.code === 'unavailable' || error?.code === 'internal') && !error.fields

/** What to do about it is said where that is not at the fields nor to look again. */
const atFields = ({ hint, ...error }: NonNullable<Shown['error']>): NonNullable<Shown['error']> =>
  error.fields || isUnanswered(error) || hint === undefined ? error : { ...error, hint }

/** All that is wrong, each with its place: its field may be far away. */
function Wrong({ error }: { error: NonNullable<Shown['error']> }) {
  const [first, ...rest] = wrongWords(error)
  const more = rest.length > 0 && (
    <ul className="grid gap-1">
      {rest.map((words) => (
        <li key={words}>{words}</li>
      ))}
    </ul>
  )
  return <ErrorState className="mb-3" error={{ ...error, message: first ?? error.message }} action={more} />
}

const OF_BEFORE = 'What stands below is of before.'
const LOOKING = 'What saving it would do is being looked at…'
const UNSEEN = 'What saving it would do could not be looked at.'

export type Shown = Pick<Asked<PolicyPreview>, 'value' | 'error' | 'pending'>

/** Where the live half is out of sight: the short of it, right before Save. */
export function ShortPreview({ asked: { value, error, pending } }: { asked: Shown }) {
  if (!pending && (error ? error.fields : !value)) return null
  return (
    <p className="hidden rounded-md border border-line bg-panel px-3 py-2 text-pretty max-[1000px]:block">
      {pending
        ? LOOKING
        : value && !error
          ? [inShort(value), ...(value.atOnce ? atOnceWords(value.atOnce) : []), ...warningsOf(value)].join(' ')
          : UNSEEN}{' '}
      <a href="#preview" className="underline">
        All of it
      </a>
    </p>
  )
}

/** "3 groups match · 1 error" */
export function liveWords({ value, error, pending }: Shown): string {
  const wrong = error?.fields?.length ?? 0
  const parts = [
    value && `${count(value.matching, 'group')} ${value.matching === 1 ? 'matches' : 'match'}`,
    wrong > 0 ? count(wrong, 'error') : error && 'not looked at',
    pending && 'being looked at…',
  ]
  return parts.filter(Boolean).join(' · ')
}

/** On a phone, as it is typed, whichever field is in sight. Nothing to press: it lies over whatever scrolls by. */
export function LiveLine({ asked }: { asked: Shown }) {
  const words = liveWords(asked)
  if (words === '') return null
  return (
    <p className="pointer-events-none sticky bottom-3 z-10 hidden min-h-11 items-center justify-between gap-3 rounded-lg border border-line-strong bg-panel px-3 max-[1000px]:flex max-phone:bottom-[calc(66px+env(safe-area-inset-bottom))]">
      <span className={asked.error ? 'text-bad-ink' : undefined}>{words}</span>
      <span className="text-ink-3">What it would do stands below</span>
    </p>
  )
}

/** When machines may move next, by this policy alone. */
function Openings({ openings }: { openings: NonNullable<PolicyPreview['openings']> }) {
  return (
    <div className="mb-3">
      <h3 className="text-sm text-ink-3">When machines may move next, by this policy alone</h3>
      <ul>
        {openings.map(({ from, to, last, timeZone }) => (
          <li key={from} className="tabular-nums">
            {from === null ? 'now' : utcAnd(from, timeZone)}
            {to ? ` to ${utcAnd(to, timeZone)}` : ', with no end within a year'}
            {last && ', and not again within a year'}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Which groups would be in which wave. */
function Waves({ waves }: { waves: NonNullable<PolicyPreview['waves']> }) {
  return (
    <div className="mb-3">
      <h3 className="text-sm text-ink-3">Its groups, wave by wave</h3>
      <ol className="list-decimal pl-5">
        {waves.map(({ name, groups, first }) => (
          <li key={name} className="wrap-anywhere">
            <span className="font-medium">{name}</span>: {count(groups, 'group')}
            {first.length > 0 && (
              <span className="text-ink-3">
                {' '}
                ({first.join(', ')}
                {groups > first.length ? ', …' : ''})
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

const inShort = ({ matching, changing }: PolicyPreview): string =>
  `${count(matching, 'group')}, ${changing === 0 ? 'none' : changing} with other rules.`

function headline({ matching, changing, machines, groups, saysNothing }: PolicyPreview): string {
  if (matching === 0 && changing === 0) return 'No group that is there now fits it. It holds for those that come.'
  const of = `It is for ${count(matching, 'group')} with ${count(machines, 'machine')} now`
  const others = groups.some((group) => group.changes.length > 0)
    ? `${count(changing, 'group')} would get other rules.`
    : saysNothing
      ? 'none of them would get another rule, for it says none yet.'
      : 'none of them would get another rule: what it says holds already, or a more specific policy says it.'
  return `${of}; ${others}`
}

function Groups({ preview, mayPlan }: { preview: PolicyPreview; mayPlan: boolean }) {
  const { groups, matching, changing } = preview
  const all = Math.max(matching, changing)
  return (
    <>
      <Table stack label="Groups that it is for">
        <thead>
          <tr>
            <Th>group</Th>
            <Th>what changes for it</Th>
            <Th num>machines</Th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Tr key={group.id}>
              <Td className="min-w-[13ch] wrap-anywhere">
                <Name group={group} mayPlan={mayPlan} />
                <span className="block text-sm text-ink-3">
                  {group.cluster} / {group.workloadCluster}
                </span>
              </Td>
              <Td className="wrap-anywhere">
                <Changes group={group} />
              </Td>
              <Td num>
                {group.machines}
                <span className="hidden max-phone:inline"> {group.machines === 1 ? 'machine' : 'machines'}</span>
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {all > groups.length && (
        <p className="mt-2 text-sm text-ink-3">
          The first {groups.length} of {all}; those that change stand first.
        </p>
      )}
    </>
  )
}

/** To what a rollout of it would look like. */
function Name({ group, mayPlan }: { group: PreviewedGroup; mayPlan: boolean }) {
  if (!mayPlan) return <span className="font-medium">{group.name}</span>
  return (
    <Link
      href={`/plan?group=${group.id}`}
      prefetch={false}
      target="_blank"
      className="font-medium hover:underline"
      title="Plan a rollout of this group (in a new tab)"
    >
      {group.name}
    </Link>
  )
}

function Changes({ group }: { group: PreviewedGroup }) {
  const { now, then, changes, neither } = group
  if (changes.length > 0)
    return (
      <ul className="grid gap-1">
        {changes.map((rule, i) => {
          const by = saidBy(rule, then) || 'as is built in'
          const next = changes[i + 1]
          // Once for those that follow each other and are said by the same.
          const same = next !== undefined && (saidBy(next, then) || 'as is built in') === by
          return (
            <li key={rule}>
              {changeWords(rule, now, then)}
              {!same && <span className="block text-sm text-ink-3">{by}</span>}
            </li>
          )
        })}
        {neither && <li className="text-needs-ink">both 0: nothing of it could go</li>}
      </ul>
    )
  const said = saidParts(then)
  if (said.length === 0) return <span className="text-ink-3">nothing; what is built in holds</span>
  if (said.length === 1) return <span className="text-ink-3">nothing; {said[0]}</span>
  return (
    <details className="text-ink-3">
      <summary>nothing; {count(said.length, 'rule')} of policies hold</summary>
      <ul className="text-sm">
        {said.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    </details>
  )
}
