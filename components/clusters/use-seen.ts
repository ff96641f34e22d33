import { useQuery } from '@tanstack/react-query'
import type { ActionResult } from '@/lib/auth'

const EVERY = 2_000
const TRIES = 15

/**
 * Looks again until what was done is seen in the cluster: managers and API servers take a moment. Half a minute long; what
 * takes longer is told by the page, which hears of it.
 */
export function useSeen<T>(
  key: readonly unknown[],
  look: () => Promise<ActionResult<T>>,
  enabled: boolean,
  seen: (value: T) => boolean,
): T | null {
  const query = useQuery({
    queryKey: ['seen', ...key],
    queryFn: async () => {
      const answer = await look()
      return answer.ok ? answer.value : null
    },
    enabled,
    refetchInterval: ({ state }) =>
      (state.data && seen(state.data)) || state.dataUpdateCount >= TRIES ? false : EVERY,
    gcTime: 0,
  })
  return query.data ?? null
}
