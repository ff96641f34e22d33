'use client'

import { useAction } from '@/components/live'
import { Commit, count, ErrorState, Sheet } from '@/components/ui'
import type { UpdatersOfCluster, UpdaterView } from '@/lib/services/updaters/overview'
import { DependentList } from './dependent-list'
import type { UpdaterActions } from './types'

interface Props {
  cluster: UpdatersOfCluster
  updater: UpdaterView
  remove: UpdaterActions['remove']
  onClose(): void
  onRemoved(): void
}

/** What it means to take an updater out, before it is done. */
export function RemoveSheet({ cluster, updater, remove, onClose, onRemoved }: Props) {
  const act = useAction(remove, onRemoved)
  const { dependents, name } = updater
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={updater.clusterId ? cluster.name : 'every management cluster'}
      title={`Remove ${name}`}
      footer={
        <Commit
          tone="danger"
          onClose={onClose}
          onClick={() => act.run({ updaterId: updater.id })}
          pending={act.pending}
          why={dependents.length > 0 ? 'in-place updates that depend on it are under way.' : undefined}
        >
          Remove {name}
        </Commit>
      }
    >
      <div className="grid gap-3">
        {dependents.length > 0 ? (
          <>
            <p>
              {count(dependents.length, 'change')} approved in place {dependents.length === 1 ? 'depends' : 'depend'} on
              it. Without it a machine would stay half updated. Wait until{' '}
              {dependents.length === 1 ? 'it is' : 'they are'} done.
            </p>
            <DependentList dependents={dependents} />
          </>
        ) : (
          <p>
            No update that was approved in place depends on it. Changes of fields that only {name} covers can only be
            done by replacing machines from then on.
          </p>
        )}
        {!updater.clusterId && <p>It is there for every management cluster, and goes from all of them.</p>}
        <ErrorState error={act.error} />
      </div>
    </Sheet>
  )
}
