'use client'

import { useState, type ReactNode } from 'react'
import type { Failed } from '@/components/live'
import { problemOf, Select, Textarea, TextInput } from '@/components/ui'
import type { UpdaterGroups } from '@/lib/services/updaters/groups'
import { namesIn } from './words'

/** What both sheets ask for: where the updater is, whom it is trusted by, which groups it is for. */
export interface Typed {
  url: string
  caPem: string
  kinds: string
  namespaces: string
  workloads: string
}

export const EMPTY: Typed = { url: '', caPem: '', kinds: '', namespaces: '', workloads: '' }

export const groupsTyped = ({ kinds, namespaces, workloads }: Typed) => ({
  kinds: kinds ? [kinds] : [],
  namespaces: namesIn(namespaces),
  workloadClusters: namesIn(workloads),
})

/** The selection as it would have been typed. */
export const typedOf = (groups: UpdaterGroups | null): Pick<Typed, 'kinds' | 'namespaces' | 'workloads'> => ({
  kinds: groups?.kinds?.length === 1 ? groups.kinds[0]! : '',
  namespaces: groups?.namespaces?.join(', ') ?? '',
  workloads: groups?.workloadClusters?.join(', ') ?? '',
})

type Fields = Failed['fields']
export type Bind<T> = (key: keyof T) => { value: string; onChange(event: { target: { value: string } }): void }

/** What was typed; it stays whatever is answered. */
export function useTyped<T extends object>(initial: T): [T, Bind<T>, (part: Partial<T>) => void] {
  const [typed, setTyped] = useState(initial)
  const bind: Bind<T> = (key) => ({
    value: String(typed[key]),
    onChange: (event) => setTyped({ ...typed, [key]: event.target.value }),
  })
  return [typed, bind, (part) => setTyped({ ...typed, ...part })]
}

interface Props {
  bind: Bind<Typed>
  fields: Fields
}

export function PlaceFields({ bind, fields, kept }: Props & { kept?: ReactNode }) {
  return (
    <>
      <TextInput
        label="Address"
        mono
        {...bind('url')}
        problem={problemOf(fields, 'url')}
        placeholder="https://updater.example.com:8443"
      />
      <Textarea
        label={kept ? 'Another certificate authority (PEM)' : 'Its certificate authority (PEM)'}
        mono
        rows={kept ? 4 : 6}
        {...bind('caPem')}
        problem={problemOf(fields, 'caPem')}
        hint={kept}
      />
    </>
  )
}

export function GroupFields({ bind, fields }: Props) {
  const below = (prefix: string) =>
    fields?.find(({ field }) => field === prefix || field.startsWith(`${prefix}.`))?.message
  return (
    <>
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
    </>
  )
}
