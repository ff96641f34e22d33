import { person } from '../timed'
import type { GroupWords } from './model'
import type { Walk } from './walk'

export const PEOPLE = [person('ada'), person('bo'), person('cy', 'admin')] as const

/**
 * One thing that somebody does, chosen by chance; what it means is told to the story only where it was not refused. `NOTHING`: there is
 * nothing now that it could be done to.
 */
export type Action = (walk: Walk) => Promise<typeof NOTHING | void>
export const NOTHING = Symbol('nothing to do')

/** What somebody said no to, or took an approval back of, goes by nobody's policy any more. */
export const forPeople = (group: GroupWords): string[] => [...new Set([...group.forPeople, group.wants])]
