'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useRouter } from 'next/navigation'
import { useDeferredValue, useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import type { Found } from '@/lib/services/search/search'
import { PLACES } from './nav'
import { useScopedHref } from './scope'

const ITEM =
  'flex min-h-9 cursor-default items-center gap-3 rounded-md px-3 data-[selected=true]:bg-sunk pointer-coarse:min-h-11'
const KIND_WORDS: Record<Found['kind'], string> = {
  cluster: 'Clusters',
  change: 'Updates',
  group: 'Groups',
  machine: 'Machines',
}
/** What is called exactly that comes first; else whatever there are fewest of. */
const kindsFor = (found: readonly Found[], q: string): Found['kind'][] => {
  const exact = (kind: Found['kind']) => found.some((one) => one.kind === kind && one.name === q.toLowerCase())
  const kinds = Object.keys(KIND_WORDS) as Found['kind'][]
  return kinds.sort((a, b) => Number(exact(b)) - Number(exact(a)))
}
const ACTIONS = [
  { label: 'See what waits for approval', href: '/updates?tab=waiting' },
  { label: 'See what is running', href: '/updates?tab=running' },
  { label: 'Plan a change', href: '/plan' },
  { label: 'See failed machines', href: '/machines?q=state%3Afailed' },
  { label: 'Connect a management cluster', href: '/clusters/new' },
]

/** Any machine, group, cluster, page or action in a few letters. */
export function Palette({ onClose }: { onClose(): void }) {
  const router = useRouter()
  const scoped = useScopedHref()
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => getJson<Found[]>(`/api/search?q=${encodeURIComponent(q)}`, signal),
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
  const go = (href: string) => {
    onClose()
    router.push(href)
  }
  const matches = (label: string) => label.toLowerCase().includes(q.toLowerCase())
  const places = PLACES.filter((p) => matches(p.label))
  const actions = ACTIONS.filter((a) => matches(a.label))
  const found = q.length > 1 ? (data ?? []) : []
  return (
    <Command.Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      label="Find a machine, group or action"
      shouldFilter={false}
      overlayClassName="overlay"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(94vw,600px)] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-panel shadow-[0_24px_64px_-32px_rgb(0_0_0/0.5)]"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Machine, node, group, cluster or action"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-md outline-none placeholder:text-ink-3"
      />
      <Command.List className="max-h-[60vh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-ink-3">
        {error && <p className="px-3 py-2 text-blocked">{problemFrom(error).message}</p>}
        <Command.Empty className="px-3 py-2 text-ink-2">
          {isFetching ? 'Looking…' : `Nothing is called “${q}”.`}
        </Command.Empty>
        {kindsFor(found, q).map((kind) => {
          const items = found.filter((f) => f.kind === kind)
          return items.length === 0 ? null : (
            <Command.Group key={kind} heading={KIND_WORDS[kind]}>
              {items.map((item) => (
                <Command.Item key={item.href} value={item.href} onSelect={() => go(item.href)} className={ITEM}>
                  <span className="min-w-0 truncate font-mono text-sm">{item.name}</span>
                  <span className="ml-auto shrink-0 text-sm text-ink-3">{item.where}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )
        })}
        {places.length + actions.length > 0 && (
          <Command.Group heading="Go to">
            {places.map((p) => (
              <Command.Item key={p.href} value={p.href} onSelect={() => go(scoped(p.href))} className={ITEM}>
                {p.label}
              </Command.Item>
            ))}
            {actions.map((a) => (
              <Command.Item key={a.href} value={a.href} onSelect={() => go(a.href)} className={ITEM}>
                {a.label}
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command.Dialog>
  )
}
