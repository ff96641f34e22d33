import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Edited = Pick<UpdateDetail, 'decision'> & { edited?: UpdateDetail['edited'] }

/** For a list. Null: nothing was edited that whoever approved it had not seen. */
export function editedShort({ edited, decision }: Edited): string | null {
  if (!edited) return null
  const edit = `the configuration of its machines was edited since it was ${decision?.byItself != null ? 'let go' : 'approved'}`
  return `${wasGoing({ decision }) ? 'Held again' : 'Its approvals are over'}: ${edit}`
}

/** The same with where to look: only digests of it are kept, so it is not among what changes. */
export function editedWords(change: Edited): string | null {
  const short = editedShort(change)
  if (!short) return null
  const { objects } = change.edited!
  const where = objects.length > 0 ? objects.join(' and ') : 'the templates of its machines'
  return `${short}, beside what differs. What was edited is not among what changes, and is not kept: read ${where} before you approve it.`
}

const wasGoing = ({ decision }: Pick<Edited, 'decision'>): boolean =>
  decision !== null && decision.mode !== 'reject' && decision.acceptedAt !== null
