import type { Metadata } from 'next'
import { WavesPage } from '@/components/waves/waves-page'
import { pageCtx } from '@/lib/auth'
import { listRuns } from '@/lib/services/waves/list-runs'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Waves' }

export default async function Page() {
  const ctx = await pageCtx('fleet:read')
  return <WavesPage initial={await listRuns(ctx)} actions={{ ...actions }} />
}
