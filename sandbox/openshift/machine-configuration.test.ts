import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApiServer } from '../apiserver'
import { openShiftResources } from './resources'
import { play } from './parity/play'
import { tableOf, type Table } from './parity/table'

/** What the real API server answered is kept: see machine-configuration.cluster.test.ts. */
const recorded = (variant: string): Table =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'parity/tables', `${variant}-skew.json`), 'utf8')) as Table

test.each(['with', 'without'])(
  'MachineConfiguration %s skew enforcement is answered as by the real API server',
  async (variant) => {
    const skew = variant === 'with'
    const server = await startApiServer({ families: ['openshift'], resources: openShiftResources({ skew }) })
    try {
      const { url, caPem, users } = server
      const played = await play({ url, caPem, token: users.admin!.token }, skew)
      expect(tableOf(played, skew)).toEqual(recorded(variant))
    } finally {
      await server.stop()
    }
  },
  300_000,
)
