import { hearing } from '../hearing'
import { silenceOf } from '../silence'
import { judgeAnew, OF_OPERATORS, OF_UPDATES } from './index'
import { writeUnread } from './write-unread'

/** Sees that ClusterVersion, or who objects by itself, is not heard any more, or again. */
export const updatesHeardConsumer = hearing({
  name: 'upgradeable heard',
  silent: (view) => silenceOf(view, { ...OF_UPDATES, ...OF_OPERATORS }, true),
  judgeAnew,
  writeUnread: (view) => writeUnread(view, silenceOf(view, OF_UPDATES, true)),
})
