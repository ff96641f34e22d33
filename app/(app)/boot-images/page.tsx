import type { Metadata } from 'next'
import { BootImageClusters } from '@/components/boot-images/clusters-list'
import { BootImageCluster } from '@/components/boot-images/cluster-page'
import { LIST_KEYS, TABS, type Tab } from '@/components/boot-images/list-keys'
import { BootImageNodes } from '@/components/boot-images/nodes-list'
import { BootImageSets } from '@/components/boot-images/sets-list'
import { BadAddress } from '@/components/shell/bad-address'
import { pageCtx } from '@/lib/auth'
import { may } from '@/lib/services/context'
import { orRefused } from '@/lib/services/fleet/refused-address'
import { scopeQuery, type SearchParams } from '@/lib/services/fleet/scope-query'
import { getBootImageCard } from '@/lib/services/skew/get-card'
import { listBootImages } from '@/lib/services/skew/list'
import { listNodeImages } from '@/lib/services/skew/list-node-images'
import { listImageSets } from '@/lib/services/skew/list-sets'
import * as actions from './actions'

export const metadata: Metadata = { title: 'Boot images' }

/** All clusters, all machine sets or what nodes started from; in the scope of one cluster, that one. */
export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const ctx = await pageCtx('fleet:read')
  const params = await searchParams
  const tab: Tab = TABS.find((t) => t === params.tab) ?? 'clusters'
  const query = scopeQuery(params, LIST_KEYS)
  const cluster = query.get('cluster')
  const mayAct = may(ctx.actor.role, 'skew:act')
  if (cluster !== null && tab === 'clusters') {
    const { data, refused } = await orRefused(getBootImageCard(ctx, { cluster }), '/boot-images', query)
    if (refused) return <BadAddress title="Boot images" refused={refused} />
    if (data) return <BootImageCluster initial={data} mayAct={mayAct} actions={{ ...actions }} />
  }
  if (tab === 'sets') {
    const { data, refused } = await orRefused(listImageSets(ctx, Object.fromEntries(query)), '/boot-images', query)
    if (refused) return <BadAddress title="Boot images" refused={refused} />
    return <BootImageSets initial={data} query={query.toString()} />
  }
  if (tab === 'nodes') {
    const { data, refused } = await orRefused(listNodeImages(ctx, Object.fromEntries(query)), '/boot-images', query)
    if (refused) return <BadAddress title="Boot images" refused={refused} />
    return <BootImageNodes initial={data} query={query.toString()} />
  }
  const { data, refused } = await orRefused(listBootImages(ctx, Object.fromEntries(query)), '/boot-images', query)
  if (refused) return <BadAddress title="Boot images" refused={refused} />
  // Of one cluster there is nothing to choose.
  const [first] = data.summary.clusters === 1 && query.size === 0 ? data.clusters : []
  const only = first ? await getBootImageCard(ctx, { cluster: first.id }) : null
  return (
    <BootImageClusters
      initial={data}
      query={query.toString()}
      several={mayAct ? { ...actions } : null}
      only={only && <BootImageCluster initial={only} alone mayAct={mayAct} actions={{ ...actions }} />}
    />
  )
}
