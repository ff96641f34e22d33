import type { Member } from '@/lib/domain/waves'
import { OPEN } from '../changes/states'

/** Where a group is with what a run wants, and in which words. */
export type Stands = Pick<Member, 'state' | 'at' | 'since' | 'stays'>

export const isOpen = (state: string): boolean => OPEN.includes(state)

/** What is told of a group of which what began last was never done. */
export const UNENDED = {
  // What is over nobody can count as done any more.
  stopped: 'stopped, never counted as done, and over: roll it out anew, or do not wait for its wave',
  unready: 'updated, and not Ready yet',
}
