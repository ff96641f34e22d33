import { datedWords } from '../boot-images/dated-words'
import { datedFromText } from './dated-text'
import { olderThan, standsTo, type ImageVersion } from './evidence'

interface PlaneSet {
  kind: string
  current: string | null
  /** As rows keep it. */
  dated: string | null
  datedSure: string | null
  /** It was never activated, and makes no machines. */
  inactive?: boolean
}

/**
 * What is to be known of the control plane's set beside a version that is recorded as the oldest. The operator's own record passes over
 * it, and so do we with what the field is filled with; its machines start from its image all the same. Null: it says nothing against it.
 */
export function planeBeside(sets: readonly PlaneSet[], typed: ImageVersion): string | null {
  const plane = sets.find(({ kind }) => kind === 'ControlPlaneMachineSet')
  if (!plane || plane.inactive) return null
  const passed = 'The control plane’s own set is not counted in that, as it is not in the operator’s own record'
  if (!plane.dated) return `${passed}: nothing tells how old its image is, and its new machines start from it.`
  const image = datedFromText(plane.dated)
  if (standsTo(image, typed) === 'not-older') return null
  // Then it is not the oldest, whatever is typed, and what the evidence says of that one stands beside it.
  if (sets.some(({ kind, dated }) => kind === 'MachineSet' && dated && olderThan(datedFromText(dated), image)))
    return null
  const sure =
    plane.datedSure === 'certain' ? '' : plane.datedSure === 'at-least' ? ' or newer' : ` (${plane.datedSure})`
  return `${passed}: its image is of ${datedWords(plane.dated, plane.current)}${sure}, and its new machines start from it. Record that where you know it to be the oldest.`
}
