import { asksNobody } from '@/lib/domain/changes/asks-nobody'
import type { TooEarly, TooFew } from '@/lib/domain/policies'
import { timingDto, type TimingDto } from '../policies/timing'
import { WAITING, type ChangeDto } from './change-row'
import type { ChangeStanding, WayStanding, WhyNot } from './standing'

/** What lists say of a change that waits. */
export interface ListedStanding {
  /** The way that is spoken of: as it is approved, else as its policy would have it. */
  way: 'in-place' | 'replace'
  given: number
  /** Approvals of the other way, where that is one. */
  otherwise: number
  needed: number
  /** Approvals that expired before it was let go, where some are missing; absent: none. */
  expired?: number
  /** Not so many people may approve it; null: they may, or nobody is waited for. */
  tooFew: TooFew | null
  /** Its policy lets it go in neither way: why. */
  forbidden: string | null
  /** Approved, and kept for its time. */
  due: boolean
  /** Enough people have approved it so, whether or not it can go so by now. */
  stands: boolean
  /** Its policy asks nobody: it goes by itself when its time comes. */
  goes: boolean
  /** Its policy asks nobody, and whether it goes so is not known yet. */
  open: boolean
  timing: TimingDto
  /** What is approved, or would be now, ends before it may go. */
  early: TooEarly | null
}

const LAPSED: ReadonlySet<string> = new Set<WhyNot>(['expired', 'too-old'])
const MODES = ['in-place', 'replace'] as const

type Stands = Pick<ChangeStanding, 'ways' | 'timing' | 'early' | 'unasked'> &
  Partial<Pick<ChangeStanding, 'tooFew' | 'uncounted'>>

type Listed = Pick<ChangeDto, 'outlook' | 'dueMode'> & Partial<Pick<ChangeDto, 'state' | 'heldBy'>>

/** Of the way that is spoken of: the one that enough approved, else in place where that can be. Who approves otherwise changes it for nobody. */
export function listedStanding(standing: Stands, change: Listed): ListedStanding {
  const listed = byPolicies(standing, change)
  const { state, heldBy } = change
  if (!state || !heldBy || !WAITING.includes(state) || !asksNobody({ heldBy }, listed)) return listed
  const { paused, stopped, step } = listed.timing
  // What no policy holds, none forbids, and it is in no wave; what people said of it here stands.
  const timing = paused || stopped || step ? listed.timing : timingDto({ open: true, until: null })
  return { ...listed, timing, forbidden: null, early: null, tooFew: null }
}

function byPolicies(
  { ways, timing, early, unasked, tooFew = null, uncounted }: Stands,
  { outlook, dueMode }: Listed,
): ListedStanding {
  const can = (mode: (typeof MODES)[number]) =>
    ways[mode].forbidden === null && (mode === 'replace' || outlook.inPlace !== null)
  const possible = MODES.filter(can)
  const given = ({ needed, missing }: WayStanding) => needed - missing
  const [first, second] = possible
  const goes = unasked?.goes ?? false
  const enough = dueMode !== null && (ways[dueMode].missing === 0 || goes)
  const due = enough && can(dueMode) && !outlook.blocked
  const spoken = second && ways[second].missing === 0 && ways[first!].missing > 0 ? second : first
  // What nobody knows yet is in place as far as its policy goes; where that allows neither, it is shown as it can be.
  const maybe = outlook.unknown && ways['in-place'].forbidden === null ? 'in-place' : null
  const way = (due ? dueMode : (maybe ?? spoken)) ?? (outlook.inPlace === null ? 'replace' : 'in-place')
  // What is approved has its own end, also where it cannot be done so now.
  const told = {
    way,
    due,
    stands: enough,
    goes,
    open: unasked?.goes === false && unasked.open === true,
    timing,
    tooFew: null,
    early: enough ? ways[dueMode].early : goes ? null : early,
  }
  if (spoken) {
    const other = possible.find((mode) => mode !== spoken)
    const otherwise = other ? given(ways[other]) : 0
    const { needed, missing } = ways[spoken]
    const waits = !goes && missing > 0
    const lapsed = waits ? [...(uncounted?.values() ?? [])].filter((why) => LAPSED.has(why)).length : 0
    const expired = lapsed > 0 ? { expired: lapsed } : {}
    return {
      ...{ ...told, given: given(ways[spoken]), otherwise, needed, ...expired, forbidden: null },
      tooFew: waits ? tooFew : null,
    }
  }
  const forbidden = ways.replace.forbidden ?? ways['in-place'].forbidden
  return { ...told, given: 0, otherwise: 0, needed: ways.replace.needed, forbidden }
}
