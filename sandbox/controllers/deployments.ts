import { AS, writeStatus, type Env } from './env'
import { DEPLOYMENTS } from './names'

/** A manager's Deployment is rolled out at once: its Pods are this process, and only its status is looked at. */
export const reconcileDeployment = (env: Env) => async (key: string) => {
  const deployment = env.store.get(DEPLOYMENTS, key)
  if (!deployment || deployment.metadata.deletionTimestamp) return undefined
  const replicas = Number(deployment.spec?.replicas ?? 1)
  await writeStatus(
    env,
    DEPLOYMENTS,
    deployment,
    {
      observedGeneration: deployment.metadata.generation ?? 1,
      ...{ replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas },
    },
    AS.deployment,
  )
  return undefined
}
