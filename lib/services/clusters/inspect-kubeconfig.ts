import { readKubeconfig, type KubeconfigReading } from '@/lib/kubernetes/kubeconfig'
import { parseInput, requirePermission, type Ctx } from '../context'
import { KubeconfigInput } from './schemas'

export type Inspection = Omit<KubeconfigReading, 'credentials'> & { acceptable: boolean }

/** Says what would be kept of a kubeconfig and what is refused. Connects nowhere, stores nothing. */
export async function inspectKubeconfig(ctx: Ctx, input: unknown): Promise<Inspection> {
  requirePermission(ctx, 'clusters:write')
  const { kubeconfig, context } = parseInput(KubeconfigInput, input)
  const { credentials, ...reading } = readKubeconfig(kubeconfig, context || undefined)
  return { ...reading, acceptable: credentials !== undefined }
}
