import type { Metadata } from 'next'
import { LIST_KEYS } from '@/components/machines/list-keys'
import { MachinesPage } from '@/components/machines/machines-page'
import { pageCtx } from '@/lib/auth'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { listMachines } from '@/lib/services/machines/list-machines'

export const metadata: Metadata = { title: 'Machines' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, LIST_KEYS)
  return <MachinesPage initial={await listMachines(ctx, Object.fromEntries(query))} query={query.toString()} />
}
