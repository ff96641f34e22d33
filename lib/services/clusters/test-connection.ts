import type { Capabilities } from '@/lib/domain/capabilities'
import { parseInput, requirePermission, type Ctx } from '../context'
import { acceptKubeconfig, probe } from './probe'
import { KubeconfigInput } from './schemas'

/** Connects with a kubeconfig and says what it found, before anything is saved. */
export async function testConnection(ctx: Ctx, input: unknown): Promise<Capabilities> {
  requirePermission(ctx, 'clusters:write')
  const { kubeconfig, context } = parseInput(KubeconfigInput, input)
  return probe(acceptKubeconfig(kubeconfig, context))
}
