'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { Button, EmptyState, ErrorState, LinkButton, RelativeTime, Table, Td, Th, Tr } from '@/components/ui'
import type { PoliciesPage as Data, PolicyDto } from '@/lib/services/policies/list-policies'
import type { PolicyActions } from './types'
import { rulesWords, selectionWords } from './words'
import { YamlSheet } from './yaml-sheet'

/** How careful operators said they want to be, for which groups. */
export function PoliciesPage({ initial, actions }: { initial: Data; actions: PolicyActions }) {
  const [yaml, setYaml] = useState(false)
  const [saved, setSaved] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => getJson<Data>('/api/policies', signal),
    initialData: initial,
  })
  return (
    <div className="max-w-[1240px]">
      <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div>
          <h1>Policies</h1>
          <p className="mt-1 max-w-[76ch] text-pretty text-ink-2">
            Each rule comes from the policy that describes a group most closely: by its name, then by its workload
            cluster, the namespace, labels of the workload cluster, the management cluster, the kind. Of two that
            describe it equally closely the stricter holds; freezes of all of them add up.
          </p>
          <details className="mt-1 max-w-[76ch] text-ink-2">
            <summary>What is built in, where no policy says anything</summary>
            <p className="text-pretty">{rulesWords(data.builtIn)}.</p>
          </details>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setYaml(true)}>As YAML</Button>
          {data.may.write && (
            <LinkButton href="/policies/new" tone="primary">
              New policy
            </LinkButton>
          )}
        </div>
      </header>
      {saved && (
        <p role="status" className="mb-3">
          {saved}
        </p>
      )}
      {error && <ErrorState className="mb-3" error={problemFrom(error)} />}
      {data.policies.length === 0 ? (
        <EmptyState title="There is no policy yet: what is built in holds for every group.">
          {data.may.write
            ? 'Write one to ask for more approvals, or to allow in place only, where it matters most.'
            : 'An administrator of Drydock can write one.'}
        </EmptyState>
      ) : (
        <Table stack label="Policies">
          <thead>
            <tr>
              <Th>policy</Th>
              <Th>is for</Th>
              <Th>says</Th>
              <Th num>written</Th>
            </tr>
          </thead>
          <tbody>
            {data.policies.map((policy) => (
              <Row key={policy.id} policy={policy} />
            ))}
          </tbody>
        </Table>
      )}
      {yaml && (
        <YamlSheet
          mayWrite={data.may.write}
          actions={actions}
          onClose={() => setYaml(false)}
          onSaved={(words) => {
            setSaved(words)
            void refetch()
          }}
        />
      )}
    </div>
  )
}

function Row({ policy: { id, name, version, spec, updatedAt, updatedBy, disconnected } }: { policy: PolicyDto }) {
  return (
    <Tr>
      <Td className="min-w-[16ch]">
        <Link href={`/policies/${id}`} prefetch={false} className="font-medium break-words hover:underline">
          {name}
        </Link>
        <span className="block text-sm text-ink-3">version {version}</span>
      </Td>
      {spec ? (
        <>
          <Td className="wrap-anywhere">
            {selectionWords(spec.select)}
            {disconnected.length > 0 && (
              <span className="block text-sm text-ink-3">
                {disconnected.join(', ')} {disconnected.length === 1 ? 'is' : 'are'} disconnected: it holds for nothing
                there until connected again.
              </span>
            )}
          </Td>
          <Td className="wrap-anywhere">{rulesWords(spec)}</Td>
        </>
      ) : (
        <Td colSpan={2} className="text-blocked">
          It cannot be read, so nothing is approved anywhere: edit it, or remove it.
        </Td>
      )}
      <Td num className="whitespace-nowrap">
        <RelativeTime at={updatedAt} />
        {updatedBy && <span className="block text-sm text-ink-3">{updatedBy}</span>}
      </Td>
    </Tr>
  )
}
