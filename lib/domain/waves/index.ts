export { membersOf, REST, withRest } from './members'
export { wavesAt } from './run'
export { wishOf } from './wish'
export type { Member, WaveState, Words } from './types'
