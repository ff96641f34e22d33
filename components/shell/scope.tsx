'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useCallback } from 'react'

export interface Scope {
  /** Name of a management cluster. */
  cluster: string | null
  /** Name of a workload cluster. */
  workload: string | null
}

function useScope(): Scope {
  const params = useSearchParams()
  return { cluster: params.get('cluster'), workload: params.get('workload') }
}

/** Makes a link keep the scope that this page has. */
export function useScopedHref(): (href: string) => string {
  const { cluster, workload } = useScope()
  return useCallback(
    (href) => {
      const [path, query = ''] = href.split('?')
      const params = new URLSearchParams(query)
      if (cluster && !params.has('cluster')) params.set('cluster', cluster)
      if (workload && !params.has('workload')) params.set('workload', workload)
      const text = params.toString()
      return text ? `${path}?${text}` : path!
    },
    [cluster, workload],
  )
}

/** Which management and which workload cluster the pages show. */
export function ScopePicker({
  workloads,
  clusters,
}: {
  workloads: { cluster: string; workload: string }[]
  clusters: string[]
}) {
  const scope = useScope()
  const path = usePathname()
  const params = useSearchParams()
  const router = useRouter()
  const choose = (value: string) => {
    const [cluster, workload] = value.split('/')
    const next = new URLSearchParams(params)
    for (const key of ['cluster', 'workload', 'after', 'cursor']) next.delete(key)
    if (cluster) next.set('cluster', cluster)
    if (workload) next.set('workload', workload)
    router.push(next.size > 0 ? `${path}?${next}` : path, { scroll: false })
  }
  const value = [scope.cluster ?? '', ...(scope.workload ? [scope.workload] : [])].join('/')
  return (
    <label className="flex min-w-0 items-center gap-1.5">
      <span className="sr-only">Scope: which clusters the pages show</span>
      <select
        value={value}
        onChange={(event) => choose(event.target.value)}
        className="h-7 [field-sizing:content] max-w-[46vw] min-w-0 rounded-md border border-transparent bg-transparent pr-1 font-medium text-ink hover:border-line-strong pointer-coarse:h-11"
      >
        <option value="">All clusters</option>
        {clusters.map((cluster) => (
          <optgroup key={cluster} label={cluster}>
            <option value={cluster}>{cluster}</option>
            {workloads
              .filter((w) => w.cluster === cluster)
              .map(({ workload }) => (
                <option key={workload} value={`${cluster}/${workload}`}>{`${cluster} / ${workload}`}</option>
              ))}
          </optgroup>
        ))}
        {value && !clusters.includes(scope.cluster ?? '') && (
          <option value={value}>{`${value} (not connected)`}</option>
        )}
      </select>
    </label>
  )
}
