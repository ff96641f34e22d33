'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import type { StepActions } from '@/components/openshift/action-steps'
import { saidOf, UNSAID } from '@/components/openshift/why'
import { count } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { Acted } from '@/lib/services/openshift/batch'
import type { SeveralManagedRow } from '@/lib/services/boot-images/preview-several-managed'
import type { SeveralSkewRow } from '@/lib/services/skew/preview-several'
import type { Doing } from '../types'
import { BeforeRow } from './before-row'
import { Decided } from './done'
import { SeveralFrame } from './frame'
import type { ChosenCluster } from './use-chosen'
import type { TypedVersion } from './version'

export interface SeveralActions extends StepActions {
  previewSeveral(input: unknown): Promise<ActionResult<SeveralSkewRow[]>>
  actSeveral(input: unknown): Promise<ActionResult<Acted>>
  previewSeveralManaged(input: unknown): Promise<ActionResult<SeveralManagedRow[]>>
  setSeveralManaged(input: unknown): Promise<ActionResult<Acted>>
}

export interface SeveralProps {
  chosen: readonly ChosenCluster[]
  actions: SeveralActions
  /** Those on which it was decided. */
  onDecided(ids: string[]): void
  onClose(): void
}

const TITLES: Record<Doing, string> = {
  acknowledge: 'Acknowledge boot image versions',
  'opt-out': 'Opt out of enforcement',
  automatic: 'Return to automatic',
}
const VERBS: Record<Doing, string> = {
  acknowledge: 'Acknowledge on',
  'opt-out': 'Opt out on',
  automatic: 'Let the operator decide on',
}

/** One decision on several clusters: what it would do on each, and afterwards what became of it there. */
export function SeveralSkewSheet({ chosen, doing, actions, onDecided, onClose }: SeveralProps & { doing: Doing }) {
  // What was chosen when it opened is what is decided, whatever the page behind it does.
  const [clusters, setClusters] = useState(() => chosen.map(({ id }) => id))
  const [typed, setTyped] = useState<Record<string, TypedVersion>>({})
  const [confirmed, setConfirmed] = useState<Record<string, string>>({})
  const [manageAll, setManageAll] = useState(false)
  const [said, setSaid] = useState(UNSAID)
  const preview = useAsked(actions.previewSeveral, {
    ...{ action: doing, manageAll },
    clusters: clusters.map((clusterId) => ({ clusterId, ...(doing === 'acknowledge' && typed[clusterId]) })),
  })
  const act = useAction(actions.actSeveral, ({ results }) =>
    onDecided(results.filter(({ action }) => action && action.state !== 'failed').map(({ clusterId }) => clusterId)),
  )
  const rows = preview.value ?? []
  const goes = rows.filter((row) => row.preview?.dryRun.ok && isConfirmed(row, confirmed))
  const crumb = `${count(clusters.length, 'cluster')} selected`

  function decide() {
    act.run({
      ...{ action: doing, manageAll },
      clusters: goes.map(({ clusterId, versionKind, version, preview: seen }) => ({
        ...{ clusterId, ...(doing === 'acknowledge' && { versionKind, version }), confirmed: confirmed[clusterId] },
        ...{ resourceVersion: seen!.resourceVersion, generation: seen!.generation ?? undefined, uid: seen!.uid },
      })),
      ...saidOf(said),
    })
  }

  if (act.value)
    return (
      <Decided
        {...{ crumb, title: TITLES[doing], acted: act.value, actions, onClose }}
        names={new Map(rows.map(({ clusterId, name }) => [clusterId, name]))}
        onAgain={(ids) => {
          setClusters(ids)
          act.reset()
          preview.again()
        }}
      />
    )

  return (
    <SeveralFrame
      {...{ title: TITLES[doing], crumb, verb: VERBS[doing], preview, goes, act, said, onClose }}
      onSaid={(to) => {
        // What was refused may be mended with it.
        if (act.error && !act.pending) act.reset()
        setSaid(to)
      }}
      onDecide={decide}
      review={doing !== 'automatic' ? reviewHint(rows) : null}
      note="Each is one patch of MachineConfiguration/cluster, bound to what was looked at. What one cluster refuses stops no other."
      rowOf={(row) => (
        <BeforeRow
          key={row.clusterId}
          row={row}
          doing={doing}
          confirmed={isConfirmed(row, confirmed)}
          onVersion={(to) => setTyped((was) => ({ ...was, [row.clusterId]: to }))}
          onConfirm={(on) =>
            setConfirmed((was) => ({ ...was, [row.clusterId]: on ? (row.preview?.confirm ?? '') : '' }))
          }
        />
      )}
    >
      {doing === 'automatic' && (
        <label className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            className="mt-1"
            checked={manageAll}
            onChange={(e) => setManageAll(e.target.checked)}
          />
          <span>Have the boot images of all machine sets managed, in the same patch</span>
        </label>
      )}
    </SeveralFrame>
  )
}

/** What stands of the dates of now is said of each that has one. */
export const reviewHint = (rows: readonly Pick<SeveralSkewRow, 'review'>[]): string =>
  rows.some(({ review }) => review)
    ? 'When somebody should look at these again. Empty: as said above of those that have a date, and none for the others.'
    : 'When somebody should look at these again.'

/** Bound to what was said, which names the version: another one is to be confirmed anew. */
export const isConfirmed = (
  { clusterId, preview }: Pick<SeveralSkewRow, 'clusterId'> & { preview: { confirm: string | null } | null },
  confirmed: Record<string, string>,
): boolean => !preview || preview.confirm === null || confirmed[clusterId] === preview.confirm
