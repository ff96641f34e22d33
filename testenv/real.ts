import { inject } from 'vitest'
import { connectTestCluster, type Coordinates, type RealTestCluster } from './test-cluster'

declare module 'vitest' {
  export interface ProvidedContext {
    testenv: Coordinates
  }
}

/** The real management cluster that this test run shares (started by global-setup.ts). Call `stop()` when done. */
export async function realTestCluster(): Promise<RealTestCluster> {
  return connectTestCluster(inject('testenv'))
}
