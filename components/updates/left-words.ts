import type { UpdateDetail } from '@/lib/services/fleet/list-updates'

type Left = Pick<UpdateDetail, 'leftBy' | 'clusterName' | 'machinesList'>

const FEW = 3
const MIDDLE: Record<string, string> = {
  updating: 'was being updated',
  failed: 'had failed',
  created: 'was being made',
  deleting: 'was being deleted',
}

/** What was left half-way when the cluster of a change was disconnected, and who did that; null: that is not known, or it was not. */
export function leftWords({ leftBy, clusterName, machinesList }: Left): string | null {
  if (!leftBy) return null
  const middle = machinesList.flatMap(({ name, progress }) => {
    const what = progress && progress.finishedAt === null && progress.startedAt !== null && MIDDLE[progress.state]
    return what ? [`${name} ${what}`] : []
  })
  const more = middle.length > FEW ? ` and ${middle.length - FEW} more` : ''
  const did = `${leftBy.name} disconnected ${clusterName}${leftBy.moves ? ', although this moved by it' : ''}.`
  return middle.length === 0
    ? did
    : `${did} Half-way then: ${middle.slice(0, FEW).join(', ')}${more}. What became of that nobody here has seen.`
}
