import type { Metadata } from 'next'
import { BootImages } from '@/components/boot-images/view'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { listBootImages } from '@/lib/services/skew/list'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Boot images' }

export default async function Page({ searchParams }: { searchParams: Promise<{ cluster?: string | string[] }> }) {
  const ctx = await pageCtx('fleet:read')
  const { cluster } = await searchParams
  const scope = typeof cluster === 'string' ? cluster : undefined
  const query = new URLSearchParams(scope ? { cluster: scope } : {})
  const { data, refused } = await orRefused(listBootImages(ctx, { cluster: scope }), '/boot-images', query)
  if (refused) return <BadAddress title="Boot images" refused={refused} />
  const { preview, acknowledge, optOut, automatic, retry } = actions
  return (
    <BootImages
      initial={data}
      scope={scope ?? null}
      mayAct={may(ctx.actor.role, 'skew:act')}
      actions={{ preview, acknowledge, optOut, automatic, retry }}
    />
  )
}
