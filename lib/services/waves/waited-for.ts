import { UNDER_WAY } from '../changes/states'
import type { RunMember } from './run-members'

type Waits = { wave: number } & Pick<RunMember, 'state' | 'nobody'> & {
    change: Pick<NonNullable<RunMember['change']>, 'state'> | null
  }

/** Something in a wave after this one has not gone: what went by it, and goes on, waits for it no more. */
export const isWaitedFor = (index: number, members: readonly Waits[]): boolean =>
  members.some(
    ({ wave, state, change, nobody }) =>
      wave > index && state === 'open' && !nobody && !(change && UNDER_WAY.includes(change.state)),
  )
