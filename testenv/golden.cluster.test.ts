import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { playLog } from '@/lib/domain/rollout/golden'
import { CLUSTER_API, moduleDir } from './build'

// Cluster API's own logs of rollouts, out of its Go module: none of them is ours to keep.
const folder = join(moduleDir('sigs.k8s.io/cluster-api'), 'core/reconcilers/machinedeployment/testdata')
const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.log.golden'))
  .sort()

describe(`rollouts as Cluster API ${CLUSTER_API} logs them`, () => {
  it('are all there', () => {
    expect(logs).toHaveLength(46)
  })

  it.each(logs)('%s', (name) => {
    expect(playLog(readFileSync(join(folder, name), 'utf8'))).toBeUndefined()
  })
})
