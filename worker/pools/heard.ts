import { hearing } from '../hearing'
import { judgeAnew } from './index'
import { silentPools } from './silent'
import { writeUnread } from './write-unread'

/** Sees that pools, or their nodes, are not heard any more, or again. */
export const poolsHeardConsumer = hearing({
  name: 'pools heard',
  silent: (view) => silentPools(view, { pools: true, nodes: true }),
  judgeAnew,
  writeUnread,
})
