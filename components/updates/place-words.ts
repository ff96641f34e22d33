import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

/** Of a group that is not listed: why nothing is decided about it, and what is known of it all the same. Null: it is listed. */
export function placeWords({
  place,
  stillHeld,
  clusterName,
  groupName,
}: Pick<UpdateDetail, 'place' | 'stillHeld' | 'clusterName' | 'groupName'>): string | null {
  switch (place) {
    case 'here':
      return null
    case 'gone':
      return `${groupName} is not there any more: there is nothing to decide.`
    case 'unheard':
      return `What is in ${clusterName} is not listed yet: until then nothing can be decided.`
    case 'disconnected':
      return `${clusterName} is disconnected: nothing can be decided here.${stillHeld ? ` ${groupName} is still held there.` : ''}`
  }
}
