import { randomUUID } from 'node:crypto'
import { parseInput, requirePermission, type Ctx } from '../context'
import { recordBatch, type Acted } from '../openshift/batch'
import { managedAction } from './managed-action'
import { SetSeveralManagedInput } from './schemas'
import { decisionFor } from './several-managed'

/** Has the operators of several clusters keep all machine sets current, or none, each in its own steps and with its own result. */
export async function setSeveralManaged(ctx: Ctx, input: unknown): Promise<Acted> {
  requirePermission(ctx, 'skew:act')
  const all = parseInput(SetSeveralManagedInput, input)
  const asked = new Map(all.clusters.map((one) => [one.clusterId, one]))
  const batchId = randomUUID()
  const plan = async (clusterId: string) => {
    const { recordsItself, ...one } = asked.get(clusterId)!
    return managedAction(decisionFor(all, one, recordsItself))
  }
  return { batchId, results: await recordBatch(ctx, batchId, [...asked.keys()], plan) }
}
