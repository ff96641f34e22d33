import { db } from '@/lib/db/client'
import type { OpenShiftAction } from '@/lib/db/generated/client'
import { writersOf } from '@/lib/domain/openshift/owners'
import { KubeError, KubeUnreachable, type KubeObject } from '@/lib/kubernetes/types'
import { kubeClientFor } from '../clusters/connection'
import { ServiceError } from '../errors'
import { stepsOf } from './row-steps'
import type { ActionKind } from './kind'
import { overwritten } from './what-stands'

/**
 * Of an accepted action that is not seen: who decided anew, or wrote over what it wrote, as a sentence; null: it stands still, or
 * nothing is known of that.
 */
export async function overtakenBy(row: OpenShiftAction, kind: ActionKind): Promise<string | null> {
  const now = await live(row, kind)
  if (!now) return null
  const lost = overwritten(stepsOf(row), now)
  const newer = await newerThan(row)
  const anew = newer !== null && (newer.kind === row.kind || overwritten(stepsOf(newer), now).length === 0)
  if (lost.length === 0 && !(anew && newer.kind === row.kind)) return null
  const then = `before ${kind.words.takenUp}. It said then: ${kind.stands(now)}.`
  if (anew) return `${newer.actorName} decided anew ${then}`
  const writer = writersOf(now.metadata, lost).at(-1)
  const who = writer === 'drydock' ? 'Drydock' : (writer ?? 'Somebody')
  return `${who} changed it ${then} Where that is not what you want, decide anew.`
}

/** On the same object, and stored. */
const newerThan = ({ clusterId, target, recordedAt }: OpenShiftAction): Promise<OpenShiftAction | null> =>
  db().openShiftAction.findFirst({
    where: { clusterId, target, state: { in: ['accepted', 'seen'] }, recordedAt: { gt: recordedAt } },
    orderBy: { recordedAt: 'desc' },
  })

/** Whoever hears of the object looks again. */
async function live(row: OpenShiftAction, kind: ActionKind): Promise<KubeObject | null> {
  const { resource, name, namespace } = kind.target(row.target)
  try {
    return await (await kubeClientFor(row.clusterId)).get(resource, name, namespace)
  } catch (error) {
    if (error instanceof KubeError || error instanceof KubeUnreachable || error instanceof ServiceError) return null
    throw error
  }
}
