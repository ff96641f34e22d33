'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { useAction } from '@/components/live'
import { Button, ErrorState, Facts, RelativeTime } from '@/components/ui'
import { useNow } from '@/components/ui/time'
import type { ActionResult } from '@/lib/auth'
import type { Outlook } from '@/lib/domain/changes'
import { fellAwayWords } from '@/lib/domain/people'
import {
  RULE_WORDS,
  ruleWords,
  saidRules,
  spanWords,
  wavesWords,
  whyWords,
  type Resolved,
  type Rules,
  type Told,
} from '@/lib/domain/policies'
import { withRest } from '@/lib/domain/waves/members'
import type { ChangePolicy } from '@/lib/services/changes/policy-of-change'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { approvalsWords, asksOneMore } from './approvals-asked'
import { approvalState, HOLD_AGAIN, isEnough, isKnown, mayApproveWords, onceMoreWords } from './standing-words'

type Fact = [ReactNode, ReactNode]
export type Withdraw = (input: { changeId: string }) => Promise<ActionResult<void>>

/** What policies ask of a change, where each rule comes from, and who has approved so far. */
export function AskedOfIt({ change, withdraw }: { change: UpdateDetail; withdraw: Withdraw }) {
  const { policy } = change
  if (!isKnown(policy))
    return <ErrorState error={{ code: 'unavailable', message: policy.problem, hint: policy.hint ?? undefined }} />
  const open = change.state === 'waiting' || change.state === 'rejected'
  const rules = open ? policy.rules : (policy.decided?.rules ?? null)
  const oneMore = open && asksOneMore(policy)
  return (
    <>
      {rules && (
        <PolicyRules
          rules={rules}
          past={!open}
          unasked={open ? policy.unasked : null}
          oneMore={oneMore}
          rejected={change.state === 'rejected'}
          outlook={change.outlook}
        />
      )}
      {oneMore && (
        <p className="text-ink-2">
          Who wrote it is not known:{' '}
          {change.author && change.author !== 'unknown' ? (
            <>
              <code>{change.author}</code>, which wrote it, is nobody who signs in here.
            </>
          ) : (
            'the object names nobody.'
          )}{' '}
          So one more approval is asked for: then at least as many as the policy wants are not the author’s.
        </p>
      )}
      {policy.mayApprove && (
        <p className="text-ink-2">{(isEnough(policy.listed) ? onceMoreWords : mayApproveWords)(policy.mayApprove)}</p>
      )}
      {change.fellAway && (
        <p className="text-ink-2">
          {fellAwayWords(change.fellAway.names)}.{' '}
          <Link href={`/updates/${change.fellAway.changeId}`} prefetch={false} className="underline">
            What that was
          </Link>
        </p>
      )}
      {policy.approvals.length > 0 && <Approvals change={change} policy={policy} withdraw={withdraw} />}
    </>
  )
}

/** Each rule with the policy that says it and why that one; what is built in says nothing of itself. */
export function PolicyRules({
  rules,
  past = false,
  unasked = null,
  oneMore = false,
  rejected = false,
  outlook,
}: {
  rules: Resolved
  past?: boolean
  /** Of what asks nobody: whether it goes by itself, or why not. */
  unasked?: ChangePolicy['unasked']
  /** Who wrote the change is not known. */
  oneMore?: boolean
  rejected?: boolean
  outlook: Outlook
}) {
  const said = saidRules(rules)
  // What was kept before there were windows says nothing of them.
  const times = (['windows', 'freezes'] as const).flatMap((what) => (rules[what] ?? []).map((told) => ({ what, told })))
  // Nor of waves.
  const waves = rules.waves ?? null
  const { always, noWaves } = rules
  if (said.length === 0 && times.length === 0 && !waves && !always && !noWaves)
    return past ? null : (
      <p className="text-ink-2">No policy says anything about this group: {builtInWords(outlook)}.</p>
    )
  const shown: (keyof Rules)[] = said.includes('approvals') ? said : ['approvals', ...said]
  return (
    <>
      <h3 className="-mb-2 text-sm text-ink-3">{past ? 'What was asked for then' : 'What is asked for'}</h3>
      <Facts
        items={[
          ...shown.map((rule): Fact => [
            RULE_WORDS[rule].name,
            <span key={rule}>
              {rule === 'approvals'
                ? approvalsWords(rules.approvals.value, { unasked, oneMore, rejected })
                : ruleWords(rule, rules[rule].value)}
              {rules[rule].policy && <span className="block text-sm text-ink-3">{whyWords(rules[rule])}</span>}
            </span>,
          ]),
          ...(waves ? [factOf('in waves', wavesWords(withRest(waves.value)), waves)] : []),
          ...(noWaves ? [factOf('in waves', 'none: it waits for no other group', noWaves)] : []),
          ...(always ? [factOf('windows', 'always: at any time', always)] : []),
          ...times.map(({ what, told }): Fact => [
            what === 'windows' ? 'only in' : 'not in',
            <span key={`${what} ${told.policy?.id}`}>
              {told.value.map((span) => (
                <span key={spanWords(span)} className="block">
                  {spanWords(span)}
                </span>
              ))}
              <span className="block text-sm text-ink-3">{whyWords(told)}</span>
            </span>,
          ]),
        ]}
      />
    </>
  )
}

/** What holds of it then. */
export const builtInWords = ({ inPlace, unknown, blocked }: Outlook): string =>
  inPlace || unknown || blocked ? 'one approval, in place where that can be' : 'one approval, by replacing its machines'

const factOf = (name: string, words: string, told: Told<unknown>): Fact => [
  name,
  <span key={name}>
    {words}
    <span className="block text-sm text-ink-3">{whyWords(told)}</span>
  </span>,
]

function Approvals({ change, policy, withdraw }: { change: UpdateDetail; policy: ChangePolicy; withdraw: Withdraw }) {
  const now = useNow()
  const take = useAction(withdraw)
  return (
    <>
      <h3 className="-mb-2 text-sm text-ink-3">Approvals</h3>
      <Facts
        items={policy.approvals.map((approval) => [
          <RelativeTime key="at" at={approval.at} />,
          <div key="who">
            {approval.actorName} {approval.mode === 'in-place' ? 'in place' : 'replacing'}
            {approval.oneByOne && ', one machine at a time'}
            {approval.reason && <>: “{approval.reason}”</>}{' '}
            <span className="text-ink-3" suppressHydrationWarning>
              ({approvalState(approval, policy.rules, now, change.state === 'superseded' ? change.successor : null)}
              {approval.expiresAt && !approval.endedAt && !approval.whyNot && Date.parse(approval.expiresAt) > now && (
                <>
                  , expires <RelativeTime at={approval.expiresAt} />
                </>
              )}
              )
            </span>
            {approval.takeBack && (
              <Button
                small
                tone="bare"
                className="ml-2"
                pending={take.pending}
                onClick={() => take.run({ changeId: change.id })}
              >
                {approval.takeBack === 'holds' ? HOLD_AGAIN : 'Take back'}
              </Button>
            )}
          </div>,
        ])}
      />
      <ErrorState error={take.error} />
    </>
  )
}
