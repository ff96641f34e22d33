import { QueryClient } from '@tanstack/react-query'
import { isUnanswered } from './fetcher'
import { follow, type LiveState } from './follow'

export interface Live {
  client: QueryClient
  /** Opens the stream; returns the function that closes it. */
  start(say: (state: LiveState) => void): () => void
}

/** How long after no answer it is tried again. */
const AGAIN_MS = 5000

/** The queries of a tab and what keeps them true: the stream says what is stale, time does not. */
export function makeLive(): Live {
  let opened = false
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // What the server rendered for a navigation is older than its query, which was not there to be told of changes;
        // out of the router's cache it may be much older. It is fetched once. On the first page the opening of the
        // stream sees to that.
        staleTime: ({ state }) => (opened && state.dataUpdateCount === 0 ? 0 : Infinity),
        refetchOnWindowFocus: false,
        retry: 2,
        // The stream may be well all the while, and say nothing for long.
        refetchInterval: ({ state }) => (isUnanswered(state.error) ? AGAIN_MS : false),
      },
    },
  })
  const start = (say: (state: LiveState) => void) =>
    follow(client, (state) => {
      opened ||= state.connected
      say(state)
    })
  return { client, start }
}
