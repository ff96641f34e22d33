interface Waits {
  heldBy?: string
}

/**
 * Nothing of Drydock holds it: its group is not governed, or somebody paused it without that. It goes when that pause is taken away,
 * whatever anybody approves, and no policy holds it. Not what was approved all the same.
 */
export const asksNobody = (
  { heldBy }: Waits,
  standing: { due: boolean; goes: boolean } | null | undefined = null,
): boolean => (heldBy === 'person' || heldBy === 'none') && !standing?.due && !standing?.goes
