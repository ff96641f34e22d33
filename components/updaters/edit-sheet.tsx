'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Commit, count, ErrorState, RelativeTime, Sheet } from '@/components/ui'
import type { UpdatersOfCluster, UpdaterView } from '@/lib/services/updaters/overview'
import { DependentList } from './dependent-list'
import { EMPTY, GroupFields, groupsTyped, PlaceFields, typedOf, useTyped } from './form'
import type { UpdaterActions } from './types'

interface Props {
  cluster: UpdatersOfCluster
  updater: UpdaterView
  edit: UpdaterActions['edit']
  onClose(): void
  onSaved(): void
}

/** Changes where an updater is and which groups it is for, after it has answered there. Only what was changed is sent. */
export function EditSheet({ cluster, updater, edit, onClose, onSaved }: Props) {
  const { name, groups, dependents } = updater
  const unreadable = groups === 'unreadable'
  const [before] = useState({ ...EMPTY, url: updater.url, ...typedOf(unreadable ? null : groups) })
  const [typed, bind] = useTyped(before)
  const act = useAction(edit, onSaved)
  const fields = act.error?.fields
  const regrouped = unreadable || JSON.stringify(groupsTyped(typed)) !== JSON.stringify(groupsTyped(before))
  const changed = {
    ...(typed.url === before.url ? {} : { url: typed.url }),
    ...(typed.caPem.trim() ? { caPem: typed.caPem } : {}),
    ...(regrouped ? { groups: groupsTyped(typed) } : {}),
  }
  const nothing = Object.keys(changed).length === 0
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={updater.clusterId ? cluster.name : 'every management cluster'}
      title={`Edit ${name}`}
      footer={
        <Commit
          onClose={onClose}
          onClick={() => act.run({ updaterId: updater.id, ...changed })}
          pending={act.pending}
          why={nothing ? 'nothing is changed yet.' : undefined}
        >
          Test and save
        </Commit>
      }
    >
      <div className="grid gap-4">
        <p className="text-ink-2">
          The name stays: changes say by it who covers them. What waits is asked about anew as soon as this is saved.
          {!updater.clusterId && ' It is there for every management cluster, and changes in all of them.'}
        </p>
        {dependents.length > 0 && (
          <div className="grid gap-1">
            <p>
              {count(dependents.length, 'change')} approved in place {dependents.length === 1 ? 'depends' : 'depend'} on
              it now. Another address or authority holds from the next question on, and what answers there has to go on
              with what was begun. A group that it is at work on cannot be left out.
            </p>
            <DependentList dependents={dependents} />
          </div>
        )}
        <PlaceFields bind={bind} fields={fields} kept={<Kept ends={updater.caNotAfter} />} />
        {unreadable && (
          <p className="text-blocked">
            Which groups it was for cannot be read. What stands below takes its place; left as it is: every group.
          </p>
        )}
        <GroupFields bind={bind} fields={fields} />
        <ErrorState error={fields ? null : act.error} />
      </div>
    </Sheet>
  )
}

function Kept({ ends }: { ends: string | null }) {
  if (!ends) return <>The stored one cannot be read: paste another.</>
  return (
    <>
      Empty: the stored one stays; it ends <RelativeTime at={ends} />.
    </>
  )
}
