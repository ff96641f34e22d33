import type { Metadata } from 'next'
import { BootImages } from '@/components/boot-images/view'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { listBootImages } from '@/lib/services/skew/list'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Boot images' }

export default async function Page({ searchParams }: { searchParams: Promise<{ cluster?: string | string[] }> }) {
  const ctx = await pageCtx('fleet:read')
  const { cluster } = await searchParams
  const scope = typeof cluster === 'string' ? cluster : undefined
  const cards = await listBootImages(ctx, { cluster: scope })
  const { preview, acknowledge, optOut, automatic, retry } = actions
  return (
    <BootImages
      initial={cards}
      scope={scope ?? null}
      mayAct={may(ctx.actor.role, 'skew:act')}
      actions={{ preview, acknowledge, optOut, automatic, retry }}
    />
  )
}
