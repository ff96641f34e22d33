'use client'

import { useState } from 'react'
import { useAction, useAsked } from '@/components/live'
import { saidOf, UNSAID } from '@/components/openshift/why'
import { count } from '@/components/ui'
import { Decided } from './done'
import { SeveralFrame } from './frame'
import { ManagedRow } from './managed-row'
import { isConfirmed, type SeveralProps } from './sheet'
import type { TypedVersion } from './version'

type Sets = 'All' | 'None'
type First = 'acknowledge' | 'opt-out'

const SETS: [Sets, string, string][] = [
  ['All', 'All machine sets', 'The default where the operator manages them.'],
  ['None', 'No machine set', 'Each keeps the image that it has now.'],
]
const FIRST: [First, string][] = [
  ['acknowledge', 'Record a version, for each cluster the one below'],
  ['opt-out', 'Switch enforcement off: nobody warns any more when boot images grow too old'],
]
const VERBS: Record<Sets, string> = { All: 'Manage all machine sets on', None: 'Manage no machine set on' }
const TITLE = 'Managed boot images'

/** Which machine sets the operators of several clusters keep current: what it would do on each, and what became of it there. */
export function SeveralManagedSheet({ chosen, actions, onDecided, onClose }: SeveralProps) {
  const [clusters, setClusters] = useState(() => chosen.map(({ id }) => id))
  const [sets, setSets] = useState<Sets>('All')
  const [first, setFirst] = useState<First>('acknowledge')
  const [typed, setTyped] = useState<Record<string, TypedVersion>>({})
  const [confirmed, setConfirmed] = useState<Record<string, string>>({})
  const [said, setSaid] = useState(UNSAID)
  const preview = useAsked(actions.previewSeveralManaged, {
    ...{ sets, first },
    clusters: clusters.map((clusterId) => ({ clusterId, ...typed[clusterId] })),
  })
  const act = useAction(actions.setSeveralManaged, ({ results }) =>
    onDecided(results.filter(({ action }) => action && action.state !== 'failed').map(({ clusterId }) => clusterId)),
  )
  const rows = preview.value ?? []
  const goes = rows.filter((row) => row.preview?.dryRun.ok && isConfirmed(row, confirmed))
  const asks = sets === 'None' && rows.some(({ recordsItself }) => recordsItself)
  const crumb = `${count(clusters.length, 'cluster')} selected`

  function decide() {
    act.run({
      ...{ sets, first },
      clusters: goes.map(({ clusterId, recordsItself, versionKind, version, preview: seen }) => ({
        ...{ clusterId, recordsItself, versionKind, version, confirmed: confirmed[clusterId] },
        ...{ resourceVersion: seen!.resourceVersion, generation: seen!.generation ?? undefined, uid: seen!.uid },
      })),
      ...saidOf(asks ? said : { ...said, reviewAt: '' }),
    })
  }

  if (act.value)
    return (
      <Decided
        {...{ crumb, title: TITLE, acted: act.value, actions, onClose }}
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
      {...{ title: TITLE, crumb, verb: VERBS[sets], preview, goes, act, said, onClose }}
      onSaid={(to) => {
        // What was refused may be mended with it.
        if (act.error && !act.pending) act.reset()
        setSaid(to)
      }}
      onDecide={decide}
      review={asks ? 'When somebody should look again at what is recorded, or switched off, first.' : null}
      note="Each is bound to what was looked at. Machines that run are never touched. What one cluster refuses stops no other."
      rowOf={(row) => (
        <ManagedRow
          key={row.clusterId}
          row={row}
          records={asks && first === 'acknowledge'}
          confirmed={isConfirmed(row, confirmed)}
          onVersion={(to) => setTyped((was) => ({ ...was, [row.clusterId]: to }))}
          onConfirm={(on) =>
            setConfirmed((was) => ({ ...was, [row.clusterId]: on ? (row.preview?.confirm ?? '') : '' }))
          }
        />
      )}
    >
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">Which machine sets the operators keep current</legend>
        {SETS.map(([value, label, hint]) => (
          <Choice key={value} name="sets" checked={sets === value} onChoose={() => setSets(value)}>
            {label} <span className="text-sm text-ink-3">{hint}</span>
          </Choice>
        ))}
        <p className="text-sm text-pretty text-ink-2">
          Those with certain labels are chosen on each cluster’s page. The set of a control plane stays as it is.
        </p>
      </fieldset>
      {asks && (
        <fieldset className="grid gap-1 rounded-md border border-line-strong bg-sunk px-3 py-2">
          <legend className="px-1 font-medium">First, where the operator records by itself now</legend>
          <p className="text-sm text-pretty text-ink-2">
            The API server takes nothing but all machine sets for as long as it does: there it takes two writes, and the
            second waits for the operator.
          </p>
          {FIRST.map(([value, label]) => (
            <Choice key={value} name="first" checked={first === value} onChoose={() => setFirst(value)}>
              {label}
            </Choice>
          ))}
        </fieldset>
      )}
    </SeveralFrame>
  )
}

function Choice({
  name,
  checked,
  onChoose,
  children,
}: {
  name: string
  checked: boolean
  onChoose(): void
  children: React.ReactNode
}) {
  return (
    <label className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
      <input type="radio" name={name} className="mt-1" checked={checked} onChange={onChoose} />
      <span>{children}</span>
    </label>
  )
}
