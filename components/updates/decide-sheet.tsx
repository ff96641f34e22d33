'use client'

import { useState } from 'react'
import { AskAgain, useAction, useAsked } from '@/components/live'
import {
  Button,
  Commit,
  ErrorState,
  LinkButton,
  Outcome,
  problemOf,
  Sheet,
  Textarea,
  TextInput,
  Ticks,
} from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { DecisionDto, DecisionMode } from '@/lib/services/changes/change-row'
import type { Outlook } from '@/lib/domain/changes/types'
import { isClusterPaused, isGroupPaused } from '@/lib/domain/their-pause'
import type { DecisionPreview } from '@/lib/services/changes/preview-decision'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { Closes } from './closes'
import { Preview, PreviewSkeleton } from './decision-preview'
import { deletedIn, goneOf, lostOf, type Gone } from './gone'
import { editedWords } from './edited-words'
import { BlockedByPlane } from './hold-scaling'
import { lastsWords } from './lasting-words'
import { isOver } from './machine-words'
import { EtcdWords } from './plane'
import { changesNone, comes } from './moves'
import { Remediation } from './remediation'
import type { Withdraw } from './asked'
import { firstWords, PaceChoice, type Pace } from './steps'
import { againstWords } from './rejected-words'
import { isKnown, oneOfWords, wantOneByOne } from './standing-words'
import { closedWords, notNowWords, thenWords } from './timing-words'

export interface DecisionActions {
  preview(input: { changeId: string; mode: DecisionMode }): Promise<ActionResult<DecisionPreview>>
  approve(input: {
    changeId: string
    fingerprint: string
    mode: 'in-place' | 'replace'
    reason?: string
    typedName?: string
    replicas?: number
    deletions?: number
    maxUnavailable?: string
    configs?: string | null
    oneByOne?: boolean
  }): Promise<ActionResult<DecisionDto>>
  reject(input: { changeId: string; fingerprint: string; reason?: string }): Promise<ActionResult<DecisionDto>>
  retry(input: { decisionId: string; typedName?: string }): Promise<ActionResult<DecisionDto>>
  withdraw: Withdraw
  override(input: { changeId: string; fingerprint: string; reason: string }): Promise<ActionResult<void>>
  restore(input: { changeId: string }): Promise<ActionResult<void>>
  pause(input: { changeId: string; reason?: string }): Promise<ActionResult<void>>
  resume(input: {
    changeId: string
    pausedAt: string
    reason?: string
    typedName?: string
  }): Promise<ActionResult<void>>
  nextMachine(input: {
    changeId: string
    done: number
    all: boolean
    reason?: string
    typedName?: string
  }): Promise<ActionResult<void>>
  restoreLimit(input: { changeId: string }): Promise<ActionResult<void>>
  letWorkersGrow(input: { changeId: string; fingerprint: string }): Promise<ActionResult<void>>
  holdWorkers(input: { changeId: string }): Promise<ActionResult<void>>
  skipRemediation(input: { changeId: string }): Promise<ActionResult<void>>
  mindRemediation(input: { changeId: string }): Promise<ActionResult<void>>
  acceptFailures(input: {
    changeId: string
    stoppedAt: string | null
    asDone: boolean
    again: boolean
    reason: string
  }): Promise<ActionResult<void>>
}

const TITLES: Record<DecisionMode, string> = {
  'in-place': 'Approve in place',
  replace: 'Approve replacing',
  reject: 'Reject',
}

/** Before: what would be done, verbatim. After: the three ticks as they truly happen. */
export function DecideSheet({
  change,
  mode,
  actions,
  onClose,
  onDone,
}: {
  change: UpdateDetail
  mode: DecisionMode
  actions: DecisionActions
  onClose(): void
  onDone(): void
}) {
  // What moves by it is no forecast any more: what was shown as it was sent stays.
  const [sent, setSent] = useState(change)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [wished, setPace] = useState<Pace>('all')
  const others = wantOneByOne(change.policy, mode)
  const pace = others.length > 0 ? 'one' : wished
  // What was looked at when the sheet opened is what is approved, also when the page moves on behind it.
  const [{ fingerprint, replicas, deletions, maxUnavailable, configs }] = useState({
    ...{ fingerprint: change.fingerprint, configs: change.configs, replicas: change.outlook.replicas },
    ...{ deletions: deletedIn(change, mode), maxUnavailable: change.outlook.pool?.limit },
  })
  const asked = useAsked(actions.preview, { changeId: change.id, mode })
  const preview = asked.value
  const act = useAction<void, DecisionDto>(async () => {
    setSent(change)
    const input = { changeId: change.id, fingerprint, ...(reason.trim() ? { reason: reason.trim() } : {}) }
    try {
      return mode === 'reject'
        ? await actions.reject(input)
        : await actions.approve({
            ...{ ...input, mode },
            ...(typed ? { typedName: typed } : {}),
            ...(pace === 'one' ? { oneByOne: true } : {}),
            ...(replicas === undefined ? {} : { replicas }),
            ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
            ...{ deletions, configs },
          })
    } finally {
      onDone() // refused or not, the page behind may be another one now
    }
  })
  const retry = useAction(actions.retry, onDone)
  const decided = retry.value ?? act.value
  const failure = retry.error ?? act.error
  const byGovernance = change.governance?.reasonNeeded ?? false
  const byPolicy =
    mode !== 'reject' && isKnown(change.policy) && change.policy.rules.reasonRequired.value
      ? change.policy.rules.reasonRequired.policy?.name
      : undefined
  const reasonNeeded = byGovernance || byPolicy !== undefined
  const oneOf = mode === 'reject' ? null : oneOfWords(change.policy, mode)
  const lasts = mode === 'reject' || !isKnown(change.policy) ? null : lastsWords(change.policy, mode)
  // What is pasted stays as it was pasted: the server says no to what is too long, and so does this, before.
  const tooLong =
    reason.trim().length > MOST_REASON
      ? `A reason has at most ${MOST_REASON} characters; this one has ${reason.trim().length}.`
      : undefined
  const missing =
    preview?.needsTypedName && typed !== preview.needsTypedName
      ? 'Type the name first.'
      : reasonNeeded && reason.trim() === ''
        ? 'Give a reason first.'
        : tooLong
          ? 'Shorten the reason first.'
          : null
  const { policy } = change
  const notNow = mode === 'reject' || !isKnown(policy) ? null : notNowWords(policy.listed.timing, policy.early)
  const against = mode === 'reject' ? null : againstWords(change)
  const edited = mode === 'reject' ? null : editedWords(change)
  const live = decided ? (change.decisions.find((d) => d.id === decided.id) ?? decided) : null
  const gone = act.pending ? null : goneOf(change, { fingerprint, mode, replicas, deletions, maxUnavailable, configs })
  const lost = live ? lostOf(live, change, gone) : gone
  const shown = live ? sent : change
  const letsGo = mode !== 'reject' && changesNone(shown.outlook)
  const title = letsGo ? 'Let it go' : mode !== 'reject' && shown.outlook.only ? 'Approve' : TITLES[mode]
  const holds = preview && !lost && !isOver(change.state)
  return (
    <Sheet
      open
      onClose={onClose}
      width={560}
      crumb={`${change.workloadCluster} / ${change.groupName}`}
      title={title}
      footer={
        live || lost ? (
          <>
            {lost && <Instead lost={lost} onClose={onClose} />}
            <Button tone={lost ? 'bare' : 'primary'} onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <>
            {missing && preview && (
              <p id="missing" className="basis-full text-sm text-ink-2">
                {missing}
              </p>
            )}
            <Commit
              tone={toneOf(mode, letsGo ? change.outlook : null)}
              onClose={onClose}
              onClick={() => act.run()}
              pending={act.pending}
              disabled={!preview || asked.pending || missing !== null}
              aria-describedby={missing && preview ? 'missing' : undefined}
            >
              {title}
            </Commit>
          </>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <Outcome of={lost ? 'lost' : live ? 'decided' : failure && !failure.fields ? failure.message : null}>
          <ErrorState error={lost && (live?.error ? { ...lost, hint: live.error } : lost)} />
          {!lost && <ErrorState error={failure} />}
          {live?.state === 'gathering' && !lost && <Kept decision={live} />}
          {live && live.state !== 'gathering' && (
            <Ticks
              {...live}
              unsure={live.noAnswer}
              onRetry={() => retry.run({ decisionId: live.id, ...(typed ? { typedName: typed } : {}) })}
              retrying={retry.pending}
            />
          )}
        </Outcome>
        <ErrorState error={lost ? null : asked.error} action={<AskAgain asked={asked} />} />
        {!preview && !asked.error && !lost && <PreviewSkeleton />}
        {holds && !live && against && <p className="max-w-[60ch] font-medium text-pretty wrap-anywhere">{against}</p>}
        {holds && !live && edited && <p className="max-w-[60ch] font-medium text-pretty wrap-anywhere">{edited}</p>}
        {holds && !live && oneOf && <p className="max-w-[60ch]">{oneOf}</p>}
        {holds && !live && lasts && <p className="max-w-[60ch] wrap-anywhere">{lasts}</p>}
        {holds &&
          !live &&
          notNow?.map((words) => (
            <p key={words} className="max-w-[60ch] wrap-anywhere">
              {words}
            </p>
          ))}
        {holds && !live && mode !== 'reject' && <Closes change={change} mode={mode} />}
        {holds &&
          !live &&
          mode !== 'reject' &&
          change.blockedBy &&
          (change.blockedBy.first || comes(change.outlook, mode)) && <BlockedByPlane by={change.blockedBy} />}
        {holds && !live && mode !== 'reject' && isGroupPaused(change.held?.theirs) && (
          <p className="max-w-[60ch]">{change.groupKind === 'MachineConfigPool' ? POOL_PAUSE : OWN_PAUSE}</p>
        )}
        {holds && !live && mode !== 'reject' && isClusterPaused(change.held?.theirs) && (
          <p className="max-w-[60ch] font-medium">{CLUSTER_PAUSE}</p>
        )}
        {holds && mode !== 'reject' && !shown.plane && <Risks risks={preview.risks} />}
        {holds && mode !== 'reject' && shown.plane && (
          <section>
            <h2 className="mb-1">The control plane before it</h2>
            <Risks risks={preview.risks} />
            <EtcdWords plane={shown.plane} but={preview.risks} />
          </section>
        )}
        {holds && !live && mode === 'in-place' && <Remediation change={change} actions={actions} onDone={onDone} />}
        {holds && (
          <Preview
            {...{ preview, mode }}
            change={shown}
            reason={reason.trim() || (reasonNeeded ? UNTYPED : '')}
            first={firstWords(pace, shown.machines)}
          >
            {!live && mode !== 'reject' && change.groupKind === 'KubeadmControlPlane' && change.machines > 1 && (
              <PaceChoice
                {...{ pace, mode, others }}
                spare={(change.outlook.inPlace?.deleted ?? 0) > 0}
                onChange={setPace}
              />
            )}
          </Preview>
        )}
        {holds && !live && (
          <>
            <Textarea
              label={reasonNeeded ? 'Reason' : 'Reason (optional)'}
              hint={`${byGovernance ? 'This cluster’s governance asks for one. ' : byPolicy ? `The policy ${byPolicy} asks for one. ` : ''}It is kept in the audit${
                mode === 'reject' ? ', and stands on the object, where whoever may read that reads it' : ''
              }.`}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              problem={tooLong ?? problemOf(failure?.fields, 'reason')}
            />
            {preview.needsTypedName && (
              <TextInput
                mono
                label={
                  <>
                    Type <code className="select-all">{preview.needsTypedName}</code> to confirm
                  </>
                }
                hint={
                  preview.risks.length > 0
                    ? 'What is known of its etcd stands against it, as said above.'
                    : shown.plane?.etcd === 'external'
                      ? 'Control plane machines are deleted. Its etcd is an external one, and stays.'
                      : 'Control plane machines are deleted: etcd members go with them.'
                }
                problem={problemOf(failure?.fields, 'typedName')}
                value={typed}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </>
        )}
      </div>
    </Sheet>
  )
}

/** What stands against it is read before it is approved. */
const Risks = ({ risks }: Pick<DecisionPreview, 'risks'>) =>
  risks.length > 0 && (
    <p className="mb-2 rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 text-pretty">{risks.join(' ')}</p>
  )

/** Where it changes no machine that is there, the way says nothing: only whether any goes. */
function toneOf(mode: DecisionMode, letGo: Outlook | null): 'in-place' | 'replace' | 'primary' {
  if (letGo) return letGo.replace.deleted > 0 ? 'replace' : 'primary'
  return mode === 'reject' ? 'primary' : mode
}

/** Approved, and not enough yet, or not now. */
function Kept({ decision: { missing = 1, timing, early = null } }: { decision: DecisionDto }) {
  const closed = timing && !timing.open
  return (
    <p role="status" className="rounded-md border border-line bg-panel px-3 py-2">
      <span className="font-medium">Your approval is kept.</span>{' '}
      {missing > 0
        ? `${missing} more ${missing === 1 ? 'is' : 'are'} needed: nothing has been sent to the cluster.`
        : closed
          ? `${closedWords(timing)} ${thenWords(timing, early, 'It', true)} Nothing is sent to the cluster before that.`
          : null}
    </p>
  )
}

/** As many as the server takes. */
const MOST_REASON = 500

/** Where a reason has to be given, what is written carries one. */
const UNTYPED = '(your reason)'

const POOL_PAUSE =
  'Somebody paused the pool themselves. An approval leaves that pause: once the change has been let go, the pool’s page resumes it, or whoever may write to it.'
const OWN_PAUSE =
  'Somebody paused the group themselves. Drydock never takes that away: once it is approved, it goes when whoever set it takes it away.'
const CLUSTER_PAUSE =
  'Somebody paused its whole Cluster. Drydock never takes that away: once it is approved, it begins only when whoever set it takes it away. Until then nothing of it moves.'

/** Where to go from a sheet whose change is not what it was. */
function Instead({ lost, onClose }: { lost: Gone; onClose(): void }) {
  if (!lost.instead) return null
  if (lost.instead === 'same')
    return (
      <Button tone="primary" onClick={onClose}>
        Look at it as it is now
      </Button>
    )
  return (
    <LinkButton tone="primary" href={`/updates/${lost.instead.id}`}>
      Review the newer change
    </LinkButton>
  )
}
