import { useEffect, useState } from 'react'
import { Skeleton } from '@/components/ui'

/** So long an answer may take without a word. */
const LATE_MS = 4_000

/** In the place of what a cluster is asked for. Where it does not answer, that is said long before it is given up. */
export function Asking({ height }: { height: number }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="grid gap-2">
      <p role="status" className="max-w-[84ch] text-pretty text-ink-2">
        {late &&
          'The cluster has not answered so far. It is asked on for a while; nothing was sent to it that changes anything.'}
      </p>
      <Skeleton height={height} />
    </div>
  )
}
