import type { Metadata } from 'next'
import { LIST_KEYS } from '@/components/machines/list-keys'
import { MachinesPage } from '@/components/machines/machines-page'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { listMachines } from '@/lib/services/machines/list-machines'

export const metadata: Metadata = { title: 'Machines' }

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const query = scopeQuery(await searchParams, LIST_KEYS)
  const { data, refused } = await orRefused(listMachines(ctx, Object.fromEntries(query)), '/machines', query)
  if (refused) return <BadAddress title="Machines" refused={refused} />
  return <MachinesPage initial={data} query={query.toString()} />
}
