import { hearing } from '../hearing'
import { silenceOf } from '../silence'
import { judgeAnew, OF_UPDATES } from './index'
import { writeUnread } from './write-unread'

/** Sees that ClusterVersion is not heard any more, or again. */
export const updatesHeardConsumer = hearing({
  name: 'upgradeable heard',
  silent: (view) => silenceOf(view, OF_UPDATES, true),
  judgeAnew,
  writeUnread,
})
