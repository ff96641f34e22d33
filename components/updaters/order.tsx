'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { ErrorState } from '@/components/ui'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import { EditSheet } from './edit-sheet'
import { RemoveSheet } from './remove-sheet'
import type { UpdaterActions } from './types'
import { UpdaterCard } from './updater-card'

interface Props {
  cluster: UpdatersOfCluster
  mayWrite: boolean
  actions: UpdaterActions
  onChanged(): void
}

/** The updaters of one management cluster, from the first that is asked. Moving keeps the focus on the one that moved. */
export function Order({ cluster, mayWrite, actions, onChanged }: Props) {
  const [moved, setMoved] = useState('')
  const [leaving, setLeaving] = useState<string | null>(null)
  const move = useAction(actions.move, (updaters) => {
    setMoved(`The order is now ${updaters.map(({ name }) => name).join(', ')}.`)
    onChanged()
  })
  const [editing, setEditing] = useState<string | null>(null)
  const edited = cluster.updaters.find(({ id }) => id === editing)
  const going = cluster.updaters.find(({ id }) => id === leaving)
  return (
    <>
      <ol className="grid gap-3">
        {cluster.updaters.map((updater, i) => (
          <UpdaterCard
            key={updater.id}
            updater={updater}
            place={i + 1}
            mayWrite={mayWrite}
            check={actions.check}
            onChecked={onChanged}
            onEdit={() => setEditing(updater.id)}
            onRemove={() => setLeaving(updater.id)}
            moving={{
              pending: move.pending,
              up: i > 0,
              down: i < cluster.updaters.length - 1,
              run: (to) => move.run({ updaterId: updater.id, clusterId: cluster.id, to }),
            }}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {moved}
      </p>
      <ErrorState className="mt-3" error={move.error} />
      {edited && (
        <EditSheet
          cluster={cluster}
          updater={edited}
          edit={actions.edit}
          onClose={() => setEditing(null)}
          onSaved={() => {
            setEditing(null)
            onChanged()
          }}
        />
      )}
      {going && (
        <RemoveSheet
          cluster={cluster}
          updater={going}
          remove={actions.remove}
          onClose={() => setLeaving(null)}
          onRemoved={() => {
            setLeaving(null)
            onChanged()
          }}
        />
      )}
    </>
  )
}
