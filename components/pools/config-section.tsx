'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { Button, ErrorState, Section, Skeleton } from '@/components/ui'
import type { ConfigDiffDto } from '@/lib/services/pools/diff-config'
import { ConfigChanges } from './config-changes'
import { ConfigNames } from './releases'

interface Props {
  poolId: string
  node?: string
  currentConfig: string | null
  desiredConfig: string | null
  elsewhere?: { config: string; nodes: number }[]
  /** Which OS image is wanted; null: the release's, as of any pool. */
  image?: string | null
}

/** Which configuration there is and which is wanted; what differs is read from the cluster when somebody asks for it. */
export function ConfigSection({ poolId, node, currentConfig, desiredConfig, elsewhere = [], image = null }: Props) {
  const [open, setOpen] = useState(false)
  const differs = currentConfig !== null && desiredConfig !== null && currentConfig !== desiredConfig
  const query = node ? `?node=${encodeURIComponent(node)}` : ''
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['config-diff', poolId, node ?? null, currentConfig, desiredConfig],
    queryFn: ({ signal }) => getJson<ConfigDiffDto>(`/api/pools/${poolId}/diff${query}`, signal),
    enabled: open && differs,
    retry: false,
    staleTime: Infinity,
  })
  return (
    <Section title="Configuration">
      <ConfigNames currentConfig={currentConfig} desiredConfig={desiredConfig} />
      {image && <p className="mt-1 text-sm text-ink-2 wrap-anywhere">OS image wanted: {image}</p>}
      {elsewhere.map(({ config, nodes }) => (
        <p key={config} className="mt-1 text-sm text-ink-2 wrap-anywhere">
          {nodes === 1 ? '1 node has' : `${nodes} nodes have`} another one, which a newer took the place of:{' '}
          <span className="font-mono">{config}</span>. What differs there is on the node’s own page.
        </p>
      ))}
      {differs && (
        <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="min-h-6 w-fit font-medium text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
            What differs
          </summary>
          <div className="mt-2">
            {data ? (
              <ConfigChanges diff={data} />
            ) : error ? (
              <ErrorState
                error={problemFrom(error)}
                action={
                  <Button small onClick={() => void refetch()} pending={isFetching}>
                    Try again
                  </Button>
                }
              />
            ) : (
              <Skeleton height={160} />
            )}
          </div>
        </details>
      )}
    </Section>
  )
}
