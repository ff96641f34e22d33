import { hearing } from '../hearing'
import { judgeAnew } from './index'
import { silentParts } from './silent'
import { writeUnread } from './write-unread'

/** Sees that what boot images rest on is not heard any more, or again. */
export const heardConsumer = hearing({
  name: 'skew heard',
  silent: (view) => silentParts(view, null, true),
  judgeAnew,
  writeUnread,
})
