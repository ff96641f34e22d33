'use client'

import { useRouter, useSearchParams } from 'next/navigation'
import { Th } from '@/components/ui'

type To = (changes: Record<string, string | null>) => string

/** A heading that sorts by way of the URL. `first`: the order of an address that says none; `down`: which begin with the most. */
export function SortTh({
  sort,
  first,
  down,
  to,
  children,
  ...rest
}: {
  sort: string
  first: string
  down: readonly string[]
  to: To
  children: string
  num?: boolean
  wide?: boolean
}) {
  const router = useRouter()
  const params = useSearchParams()
  const usual = down.includes(sort) ? 'desc' : 'asc'
  const current = (params.get('sort') ?? first) === sort
  const dir = params.get('dir') ?? usual
  const next = current && dir === usual ? (usual === 'asc' ? 'desc' : 'asc') : usual
  return (
    <Th
      {...rest}
      sort={current ? (dir === 'asc' ? 'ascending' : 'descending') : 'none'}
      onSort={() =>
        router.push(to({ sort: sort === first ? null : sort, dir: next === usual ? null : next, after: null }), {
          scroll: false,
        })
      }
    >
      {children}
    </Th>
  )
}
