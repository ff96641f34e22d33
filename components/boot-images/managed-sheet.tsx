'use client'

import { useState } from 'react'
import { AskAgain, useAsked } from '@/components/live'
import { Asking } from '@/components/openshift/asking'
import { ActionSteps } from '@/components/openshift/action-steps'
import { useDecision } from '@/components/openshift/use-decision'
import { besideWhy, isPast, saidOf, UNSAID, Why } from '@/components/openshift/why'
import { Button, Commit, ErrorState, problemOf, Sheet } from '@/components/ui'
import { recordFirst } from '@/lib/domain/skew/record-first'
import type { Managed } from '@/lib/services/boot-images/get-managed'
import type { ActionState } from '@/lib/services/openshift/action-row'
import type { BootImageCard } from '@/lib/services/skew/get-card'
import { CHOICE, CHOICE_ALONE } from './choice'
import { ConfirmVersion } from './confirm-version'
import { TAKEN_UP } from './managed'
import { RecordFirst, type First } from './managed-first'
import { ManagedPreviewView } from './managed-preview'
import { EMPTY, SelectorRows, touched, typedRows, type TypedRow } from './managed-selector'
import { Meanwhile } from './meanwhile'
import type { BootImageActions } from './types'

interface Props {
  card: BootImageCard
  managing: Managed
  actions: BootImageActions
  onClose(): void
}

type Mode = Managed['sets']['mode']
const MODES: [Mode, string, string][] = [
  ['All', 'All machine sets', ''],
  ['Partial', 'Those with certain labels', 'Labels of the machine sets themselves, not of their machines.'],
  ['None', 'No machine set', 'Each keeps the image that it has now.'],
]

/** All, some by their labels, or none; what becomes of each; and the writes that it takes. */
export function ManagedSheet({ card, managing, actions, onClose }: Props) {
  const { sets, planes, recordsItself, configured, labels, may, byDefault } = managing
  const unasked: Mode = byDefault ? 'All' : 'None'
  const [mode, setMode] = useState<Mode>(sets.mode)
  const [rows, setRows] = useState<TypedRow[]>(() => (sets.mode === 'Partial' ? typedRows(sets.rows) : [EMPTY]))
  const [plane, setPlane] = useState(planes)
  const [found] = useState(() => recordFirst(card.recorded, card.evidence, card.best))
  const [first, setFirst] = useState<First>({
    action: 'acknowledge',
    ...{ versionKind: found.versionKind, version: found.version },
  })
  const isFound = first.versionKind === found.versionKind && first.version.trim() === found.version
  const [automatic, setAutomatic] = useState(false)
  // What stood at the box, which names the version: anything else is to be confirmed anew.
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const [said, setSaid] = useState(UNSAID)
  const before = recordsItself && mode !== 'All'
  const skew = before
    ? first.action === 'acknowledge'
      ? first
      : { action: 'opt-out' }
    : mode === 'All' && configured && automatic
      ? { action: 'automatic' }
      : undefined
  const asked = touched(rows)
  const wish = {
    clusterId: card.clusterId,
    sets: mode === 'Partial' ? { mode, rows: (asked.length > 0 ? asked : rows).map(asRow) } : { mode },
    ...(may.planes && plane !== planes && { controlPlanes: plane }),
    ...(skew && { skew }),
  }
  const preview = useAsked(actions.previewManaged, wish)
  const decision = useDecision(actions.setManaged, actions.retry, preview)
  const { done, failed } = decision
  const confirm = preview.value?.confirm ?? null
  const unconfirmed = confirm !== null && confirmed !== confirm
  // Its own is on its way at once.
  const underWay = decision.pending ? null : card.underWay
  const fields = [...(preview.error?.fields ?? []), ...(failed?.fields ?? [])]
  const title = 'Managed boot images'

  if (done) {
    const action = managing.action?.id === done.id ? managing.action : done
    return (
      <Sheet
        open
        onClose={onClose}
        title={title}
        crumb={card.name}
        width={640}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <ActionSteps action={action} seenLabel={TAKEN_UP} actions={actions} lookAgain={decision.anew} />
        {closable(action.state) && <p className="mt-3 text-sm text-pretty text-ink-2">{closable(action.state)}</p>}
      </Sheet>
    )
  }

  return (
    <Sheet
      open
      onClose={onClose}
      title={title}
      crumb={card.name}
      width={640}
      footer={
        <>
          {underWay && <Meanwhile underWay={underWay} leave={actions.cancel} inSheet />}
          {unconfirmed && (
            <p className="basis-full text-sm text-ink-2">
              {skew?.action === 'acknowledge' ? 'Confirm the version first.' : 'Confirm what it closes first.'}
            </p>
          )}
          <Commit
            onClose={onClose}
            pending={decision.pending}
            disabled={
              preview.pending ||
              !preview.value?.dryRun.ok ||
              unconfirmed ||
              underWay !== null ||
              (before && isPast(said))
            }
            onClick={() =>
              preview.value &&
              decision.run({
                ...{ ...wish, confirmed },
                resourceVersion: preview.value.resourceVersion,
                generation: preview.value.generation ?? undefined,
                uid: preview.value.uid,
                ...saidOf(before ? said : { ...said, reviewAt: '' }),
              })
            }
          >
            {VERBS[mode]}
          </Commit>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <fieldset className="grid gap-1 pointer-coarse:gap-0">
          <legend className="mb-1 font-medium">Which machine sets the operator keeps current</legend>
          {MODES.map(([value, label, hint]) => (
            <label key={value} className={CHOICE}>
              <input
                type="radio"
                name="sets"
                className="mt-1"
                checked={mode === value}
                onChange={() => setMode(value)}
              />
              <span>
                {label} <span className="text-sm text-ink-3">{value === unasked ? UNASKED[value] : hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {mode === 'Partial' && <SelectorRows rows={rows} labels={labels} fields={fields} onChange={setRows} />}
        {may.planes && (
          <label className={CHOICE_ALONE}>
            <input
              type="checkbox"
              className="mt-1"
              checked={plane === 'All'}
              onChange={(e) => setPlane(e.target.checked ? 'All' : 'None')}
            />
            <span>The control plane’s set, too</span>
          </label>
        )}
        {before && (
          <RecordFirst
            first={first}
            why={isFound ? found.why : null}
            onChange={setFirst}
            problem={problemOf(fields, 'skew.version')}
          />
        )}
        {confirm && (
          <ConfirmVersion
            sentence={confirm}
            checked={!unconfirmed}
            records={skew?.action === 'acknowledge'}
            onChange={(on) => setConfirmed(on ? confirm : null)}
          />
        )}
        {mode === 'All' && configured && !recordsItself && may.skew && (
          <label className={CHOICE_ALONE}>
            <input
              type="checkbox"
              className="mt-1"
              checked={automatic}
              onChange={(e) => setAutomatic(e.target.checked)}
            />
            <span>Have the operator record the boot image by itself again, in the same write</span>
          </label>
        )}
        <ErrorState
          error={preview.error?.fields?.length ? null : preview.error}
          action={<AskAgain asked={preview} />}
        />
        {preview.value ? (
          <div className={preview.pending ? 'opacity-60' : ''} aria-busy={preview.pending}>
            <ManagedPreviewView preview={preview.value} asked={preview} />
          </div>
        ) : (
          !preview.error && <Asking height={320} />
        )}
        <Why
          said={said}
          onChange={setSaid}
          fields={fields}
          review={before ? 'When somebody should look at this again.' : null}
        />
        <ErrorState error={besideWhy(failed)} />
      </div>
    </Sheet>
  )
}

/** What becomes of a decision whose sheet is closed; null: it is over. */
export function closable(state: ActionState): string | null {
  if (state === 'failed')
    return 'It does not go on by itself. This can be closed: where it stands, and what can be done, is on the cluster’s page.'
  return ['recorded', 'applying', 'waiting', 'accepted'].includes(state)
    ? 'This can be closed: it goes on without, and stands on the cluster’s page.'
    : null
}

/** Of what holds where nothing is said. */
const UNASKED: Partial<Record<Mode, string>> = {
  All: 'The default on this platform.',
  None: 'The default of this release. Each keeps the image that it has now.',
}

const VERBS: Record<Mode, string> = {
  All: 'Manage all machine sets',
  Partial: 'Manage those that match',
  None: 'Manage no machine set',
}

const asRow = ({ key, operator, values }: TypedRow) => ({
  ...{ key: key.trim(), operator },
  values:
    operator === 'In' || operator === 'NotIn'
      ? values
          .split(',')
          .map((value) => value.trim())
          .filter(Boolean)
      : [],
})
