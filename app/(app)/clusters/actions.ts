'use server'

import { action, look } from '@/lib/auth'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { disconnectCluster, planDisconnect } from '@/lib/services/clusters/disconnect-cluster'
import { inspectKubeconfig } from '@/lib/services/clusters/inspect-kubeconfig'
import { replaceCredentials } from '@/lib/services/clusters/replace-credentials'
import { testConnection } from '@/lib/services/clusters/test-connection'
import { previewGate } from '@/lib/services/gate/preview-gate'
import { registerGate } from '@/lib/services/gate/register-gate'
import { checkGate } from '@/lib/services/gate/check-gate'
import { checkLatch } from '@/lib/services/latch/check-latch'
import { installLatch } from '@/lib/services/latch/install-latch'
import { previewLatch } from '@/lib/services/latch/preview-latch'
import { planRemoveLatch } from '@/lib/services/latch/plan-remove-latch'
import { removeLatch } from '@/lib/services/latch/remove-latch'
import { repairLatch } from '@/lib/services/latch/repair-latch'
import { setGovernance } from '@/lib/services/latch/set-governance'

export const inspect = look(inspectKubeconfig)
export const test = look(testConnection)
export const add = action(addCluster)
export const replace = action(replaceCredentials)
export const latchPreview = look(previewLatch)
export const latchInstall = action(installLatch)
export const latchCheck = action(checkLatch)
export const latchRepair = action(repairLatch)
export const latchRemovePlan = look(planRemoveLatch)
export const latchRemove = action(removeLatch)
export const governance = action(setGovernance)
export const gatePreview = look(previewGate)
export const gateRegister = action(registerGate)
export const gateCheck = action(checkGate)
export const disconnectPlan = look(planDisconnect)
export const disconnect = action(disconnectCluster)
