import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Left = Pick<UpdateDetail, 'leftBy' | 'clusterName' | 'groupName' | 'machinesList' | 'stillHeld'>

const FEW = 3
const MIDDLE: Record<string, string> = {
  updating: 'was being updated',
  failed: 'had failed',
  created: 'was being made',
  deleting: 'was being deleted',
}

/** What was left half-way when the cluster of a change was disconnected, and who did that; null: that is not known, or it was not. */
export function leftWords({ leftBy, clusterName, groupName, machinesList, stillHeld }: Left): string | null {
  if (!leftBy) return null
  const middle = machinesList.flatMap(({ name, progress }) => {
    const begun = progress && progress.finishedAt === null && progress.startedAt !== null
    const what = (begun && MIDDLE[progress.state]) || (progress?.awaited && 'was not Ready yet')
    return what ? [`${name} ${what}`] : []
  })
  const more = middle.length > FEW ? ` and ${middle.length - FEW} more` : ''
  const held = stillHeld ? ` ${groupName} is still held there, and nobody releases it from here.` : ''
  const did = `${leftBy.name} disconnected ${clusterName}${leftBy.moves ? ', although this moved by it' : ''}.${held}`
  if (middle.length === 0 && leftBy.moves) return `${did} What moved by it nobody here has seen.`
  return middle.length === 0
    ? did
    : `${did} Half-way then, as Drydock saw it last: ${middle.slice(0, FEW).join(', ')}${more}. What became of that nobody here has seen.`
}
