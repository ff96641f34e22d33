import type { ActionResult } from '@/lib/auth'
import type { disconnectCluster, planDisconnect } from '@/lib/services/clusters/disconnect-cluster'
import type { inspectKubeconfig } from '@/lib/services/clusters/inspect-kubeconfig'
import type { replaceCredentials } from '@/lib/services/clusters/replace-credentials'
import type { testConnection } from '@/lib/services/clusters/test-connection'
import type { Ctx } from '@/lib/services/context'
import type { checkGate } from '@/lib/services/gate/check-gate'
import type { previewGate } from '@/lib/services/gate/preview-gate'
import type { registerGate } from '@/lib/services/gate/register-gate'
import type { checkLatch } from '@/lib/services/latch/check-latch'
import type { installLatch } from '@/lib/services/latch/install-latch'
import type { previewLatch } from '@/lib/services/latch/preview-latch'
import type { planRemoveLatch } from '@/lib/services/latch/plan-remove-latch'
import type { removeLatch } from '@/lib/services/latch/remove-latch'
import type { repairLatch } from '@/lib/services/latch/repair-latch'
import type { setGovernance } from '@/lib/services/latch/set-governance'

/** A verb as the page's server action hands it down. */
type Act<Verb> = Verb extends (ctx: Ctx, ...input: infer Input) => Promise<infer T>
  ? (...input: Input) => Promise<ActionResult<T>>
  : never

/** The server actions of these pages, handed down by the page: components import no route. */
export interface ClusterActions {
  inspect: Act<typeof inspectKubeconfig>
  test: Act<typeof testConnection>
  replace: Act<typeof replaceCredentials>
  latchPreview: Act<typeof previewLatch>
  latchInstall: Act<typeof installLatch>
  latchCheck: Act<typeof checkLatch>
  latchRepair: Act<typeof repairLatch>
  latchRemovePlan: Act<typeof planRemoveLatch>
  latchRemove: Act<typeof removeLatch>
  governance: Act<typeof setGovernance>
  gatePreview: Act<typeof previewGate>
  gateRegister: Act<typeof registerGate>
  gateCheck: Act<typeof checkGate>
  disconnectPlan: Act<typeof planDisconnect>
  disconnect: Act<typeof disconnectCluster>
}
