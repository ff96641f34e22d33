'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Commit, ErrorState, problemOf, Select, Sheet, Textarea, TextInput } from '@/components/ui'
import type { UpdatersOfCluster } from '@/lib/services/updaters/overview'
import type { UpdaterActions } from './types'
import { namesIn } from './words'

interface Props {
  cluster: UpdatersOfCluster
  add: UpdaterActions['add']
  onClose(): void
  onAdded(): void
}

const EMPTY = { name: '', url: '', caPem: '', every: '', position: '', kinds: '', namespaces: '', workloads: '' }

/** Adds an updater after it has answered. What was typed stays until it did. */
export function AddSheet({ cluster, add, onClose, onAdded }: Props) {
  const [typed, setTyped] = useState(EMPTY)
  const act = useAction(add, onAdded)
  const fields = act.error?.fields
  const bind = (key: keyof typeof EMPTY) => ({
    value: typed[key],
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [key]: event.target.value }),
  })
  const below = (prefix: string) =>
    fields?.find(({ field }) => field === prefix || field.startsWith(`${prefix}.`))?.message
  const send = () =>
    act.run({
      ...{ name: typed.name, url: typed.url, caPem: typed.caPem },
      ...(typed.every ? {} : { clusterId: cluster.id }),
      ...(typed.position ? { position: Number(typed.position) } : {}),
      groups: {
        kinds: typed.kinds ? [typed.kinds] : [],
        namespaces: namesIn(typed.namespaces),
        workloadClusters: namesIn(typed.workloads),
      },
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
        <TextInput
          label="Address"
          mono
          {...bind('url')}
          problem={problemOf(fields, 'url')}
          placeholder="https://updater.example.com:8443"
        />
        <Textarea
          label="Its certificate authority (PEM)"
          mono
          rows={6}
          {...bind('caPem')}
          problem={problemOf(fields, 'caPem')}
        />
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
        <Select label="Groups" {...bind('kinds')} problem={below('groups.kinds')}>
          <option value="">workers and control planes</option>
          <option value="MachineDeployment">workers (MachineDeployment)</option>
          <option value="KubeadmControlPlane">control planes (KubeadmControlPlane)</option>
        </Select>
        <TextInput
          label="Only in these namespaces"
          mono
          {...bind('namespaces')}
          problem={below('groups.namespaces')}
          hint="Names with spaces or commas between them. Empty: all."
        />
        <TextInput
          label="Only of these workload clusters"
          mono
          {...bind('workloads')}
          problem={below('groups.workloadClusters')}
          hint="Names with spaces or commas between them. Empty: all."
        />
        <ErrorState error={fields ? null : act.error} />
      </div>
    </Sheet>
  )
}
