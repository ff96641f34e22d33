import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { PoolPage } from '@/components/pools/pool-page'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { ServiceError } from '@/lib/services/errors'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { getPool } from '@/lib/services/pools/get-pool'
import * as actions from '../actions'

export const metadata: Metadata = { title: 'Pool' }

export default async function Page({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>
  searchParams: SearchParams
}) {
  const ctx = await pageCtx('fleet:read')
  const { id } = await params
  const query = scopeQuery(await searchParams, ['phase', 'q', 'after'])
  const asked = getPool(ctx, { ...Object.fromEntries(query), id }).catch((error: unknown) => {
    const unknown =
      error instanceof ServiceError &&
      (error.code === 'not-found' || error.more.fields?.some(({ field }) => field === 'id'))
    if (unknown) notFound()
    throw error
  })
  const { data, refused } = await orRefused(asked, `/pools/${id}`, query)
  if (refused) return <BadAddress title="Pool" refused={refused} />
  const { preview, pause, resume, retry } = actions
  return <PoolPage initial={data} query={query.toString()} actions={{ preview, pause, resume, retry }} />
}
