import { afterAll, beforeAll } from 'vitest'
import { createKubeClient } from '../../lib/kubernetes/client'
import { readKubeconfig } from '../../lib/kubernetes/kubeconfig'
import type { KubeClient } from '../../lib/kubernetes/types'
import { startApiServer, type RunningApiServer } from '../apiserver'
import { openShiftResources } from './resources'
import { machineConfigurationSuite } from './suite'

let server: RunningApiServer
let client: KubeClient

beforeAll(async () => {
  server = await startApiServer({ families: ['openshift'], resources: openShiftResources() })
  client = createKubeClient(readKubeconfig(server.users.admin!.kubeconfig).credentials!)
})
afterAll(async () => {
  await client?.close()
  await server?.stop()
})

machineConfigurationSuite(async () => client)
