import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { BootImageCluster } from '@/components/boot-images/cluster-page'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { getBootImageCard } from '@/lib/services/skew/get-card'
import * as actions from '../actions'

export const metadata: Metadata = { title: 'Boot images' }

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const ctx = await pageCtx('fleet:read')
  const { id } = await params
  const card = await getBootImageCard(ctx, { cluster: decodeURIComponent(id) }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'invalid') notFound()
    throw error
  })
  if (!card) notFound()
  return <BootImageCluster initial={card} mayAct={may(ctx.actor.role, 'skew:act')} actions={{ ...actions }} />
}
