import { hearing } from '../hearing'
import { silenceOf } from '../silence'
import { judgeAnew, OF_ALL, OF_UPDATES } from './index'
import { writeUnread } from './write-unread'

/** Sees that ClusterVersion, who objects by itself, or gates and acknowledgements are not heard any more, or again. */
export const updatesHeardConsumer = hearing({
  name: 'upgradeable heard',
  silent: (view) => silenceOf(view, OF_ALL, true),
  judgeAnew,
  writeUnread: (view) => writeUnread(view, silenceOf(view, OF_UPDATES, true)),
})
