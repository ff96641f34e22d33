'use client'

import Link from 'next/link'
import { useState } from 'react'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { UpdaterDto } from '@/lib/services/updaters/list-updaters'
import {
  Button,
  Commit,
  EmptyState,
  ErrorState,
  problemOf,
  RelativeTime,
  Section,
  Sheet,
  Table,
  Td,
  Textarea,
  TextInput,
  Th,
  Tr,
} from '@/components/ui'
import type { ClusterActions } from './actions'
import { useAction } from '@/components/live'

interface Props {
  cluster: ClusterDetail
  initial: UpdaterDto[]
  mayWrite: boolean
  actions: ClusterActions
}

/** The Runtime Extensions that do the in-place work; the gate stands in front of them. */
export function UpdatersPanel({ cluster, initial, mayWrite, actions }: Props) {
  const [updaters, setUpdaters] = useState(initial)
  const [open, setOpen] = useState(false)
  const [leaving, setLeaving] = useState<string | null>(null)
  const remove = useAction(actions.updaterRemove, () => {
    setUpdaters((list) => list.filter(({ id }) => id !== leaving))
    setLeaving(null)
  })
  const button = mayWrite && <Button onClick={() => setOpen(true)}>Add an updater…</Button>
  return (
    <Section
      title="Updaters"
      aside={
        <Link href={`/updaters?cluster=${encodeURIComponent(cluster.name)}`} className="hover:underline">
          order, health and what they cover
        </Link>
      }
    >
      {updaters.length === 0 ? (
        <EmptyState
          title="No updater is configured: nothing can be changed in place here."
          action={button || undefined}
        >
          An updater is a Runtime Extension that says which fields it can change on a running machine, and does it.
        </EmptyState>
      ) : (
        <>
          <Table stack label="Updaters">
            <thead>
              <tr>
                <Th>updater</Th>
                <Th>address</Th>
                <Th wide>for</Th>
                <Th wide>its authority ends</Th>
                <Th>
                  <span className="sr-only">actions</span>
                </Th>
              </tr>
            </thead>
            <tbody>
              {updaters.map((updater) => (
                <Tr key={updater.id}>
                  <Td className="font-medium">{updater.name}</Td>
                  <Td className="font-mono text-sm break-all">{updater.url}</Td>
                  <Td wide className="text-ink-2">
                    {updater.clusterId ? 'this cluster' : 'every cluster'}
                  </Td>
                  <Td wide className="text-ink-2">
                    {updater.caNotAfter ? <RelativeTime at={updater.caNotAfter} /> : 'cannot be read'}
                  </Td>
                  <Td num>
                    {mayWrite && leaving !== updater.id && (
                      <Button small tone="bare" onClick={() => setLeaving(updater.id)}>
                        Remove…
                      </Button>
                    )}
                    {leaving === updater.id && (
                      <span className="inline-flex flex-wrap justify-end gap-1">
                        <Button
                          small
                          tone="danger"
                          onClick={() => remove.run({ updaterId: updater.id })}
                          pending={remove.pending}
                        >
                          Remove {updater.name}
                        </Button>
                        <Button small tone="bare" onClick={() => setLeaving(null)}>
                          Keep
                        </Button>
                      </span>
                    )}
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
          <div className="mt-3">{button}</div>
        </>
      )}
      <ErrorState className="mt-3" error={remove.error} />
      {open && (
        <AddSheet
          cluster={cluster}
          actions={actions}
          onClose={() => setOpen(false)}
          onAdded={(updater) => {
            setUpdaters((list) => [...list, updater])
            setOpen(false)
          }}
        />
      )}
    </Section>
  )
}

function AddSheet({
  cluster,
  actions,
  onClose,
  onAdded,
}: Pick<Props, 'cluster' | 'actions'> & { onClose(): void; onAdded(updater: UpdaterDto): void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [caPem, setCaPem] = useState('')
  const add = useAction(actions.updaterAdd, onAdded)
  const fields = add.error?.fields
  return (
    <Sheet
      open
      onClose={onClose}
      crumb={cluster.name}
      title="Add an updater"
      footer={
        <Commit
          onClose={onClose}
          onClick={() => add.run({ name, url, caPem, clusterId: cluster.id })}
          pending={add.pending}
        >
          Test and add
        </Commit>
      }
    >
      <div className="grid gap-4">
        <TextInput
          label="Name"
          mono
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={problemOf(fields, 'name')}
          placeholder="kubelet-updater"
        />
        <TextInput
          label="Address"
          mono
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          problem={problemOf(fields, 'url')}
          placeholder="https://updater.example.com:8443"
        />
        <Textarea
          label="Its certificate authority (PEM)"
          mono
          rows={8}
          value={caPem}
          onChange={(event) => setCaPem(event.target.value)}
          problem={problemOf(fields, 'caPem')}
        />
        <ErrorState error={fields ? null : add.error} />
      </div>
    </Sheet>
  )
}
