import { MACHINE_DEPLOYMENTS } from '../controllers/names'
import type { RunningSandbox, WriteAs } from '../types'

const GITOPS: WriteAs = { user: 'gitops', groups: ['system:authenticated'], fieldManager: 'gitops' }

const GROUP = 'payments/payments-prod-workers-a'
const VERSION = 'v1.34.2'

/**
 * The change that waits for approval when the demo opens: a push to Git raises the version of payments-prod's workers.
 * To be called after the latch is installed, so that the API server holds it in the same write. Once only: what stands
 * there already is left alone.
 */
export async function playScenario(sandbox: Pick<RunningSandbox, 'store'>): Promise<void> {
  const { store } = sandbox
  const group = store.get(MACHINE_DEPLOYMENTS, GROUP)
  const spec = group?.spec as { template?: { spec?: { version?: string } } } | undefined
  if (!group || spec?.template?.spec?.version === VERSION) return
  await store.merge(MACHINE_DEPLOYMENTS, GROUP, { spec: { template: { spec: { version: VERSION } } } }, GITOPS)
}
