'use client'

import { useAction } from '@/components/live'
import { Commit, ErrorState, problemOf, Select, Sheet, TextInput } from '@/components/ui'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import { EMPTY, GroupFields, groupsTyped, PlaceFields, useTyped } from './form'
import type { UpdaterActions } from './types'

interface Props {
  cluster: UpdatersOfCluster
  add: UpdaterActions['add']
  onClose(): void
  onAdded(): void
}

/** Adds an updater after it has answered. What was typed stays until it did. */
export function AddSheet({ cluster, add, onClose, onAdded }: Props) {
  const [typed, bind] = useTyped({ ...EMPTY, name: '', every: '', position: '' })
  const act = useAction(add, onAdded)
  const fields = act.error?.fields
  const send = () =>
    act.run({
      ...{ name: typed.name, url: typed.url, caPem: typed.caPem, groups: groupsTyped(typed) },
      ...(typed.every ? {} : { clusterId: cluster.id }),
      ...(typed.position ? { position: Number(typed.position) } : {}),
    })
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={cluster.name}
      title="Add an updater"
      footer={
        <Commit onClose={onClose} onClick={send} pending={act.pending}>
          Test and add
        </Commit>
      }
    >
      <div className="grid gap-4">
        <TextInput
          label="Name"
          mono
          {...bind('name')}
          problem={problemOf(fields, 'name')}
          placeholder="kubelet-updater"
        />
        <PlaceFields bind={bind} fields={fields} />
        <Select label="For" {...bind('every')} problem={problemOf(fields, 'clusterId')}>
          <option value="">{cluster.name}</option>
          <option value="every">every management cluster</option>
        </Select>
        <Select label="Asked" {...bind('position')} problem={problemOf(fields, 'position')}>
          <option value="">{cluster.updaters.length > 0 ? 'last' : 'first'}</option>
          {cluster.updaters.map((updater) => (
            <option key={updater.id} value={updater.position}>
              before {updater.name}
            </option>
          ))}
        </Select>
        <GroupFields bind={bind} fields={fields} />
        <ErrorState error={fields ? null : act.error} />
      </div>
    </Sheet>
  )
}
