import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApiServer } from '../apiserver'
import { openShiftResources } from './resources'
import { play } from './parity/play'
import { tableOf, type Table } from './parity/table'

/** What the real API server answered is kept: see machine-configuration.cluster.test.ts. */
const recorded = (form: string): Table =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'parity/tables', `${form}.json`), 'utf8')) as Table

test.each(['with-skew', 'without-skew', '4.18'] as const)(
  'MachineConfiguration %s is answered as by the real API server',
  async (form) => {
    const server = await startApiServer({ families: ['openshift'], resources: openShiftResources({ form }) })
    try {
      const { url, caPem, users } = server
      const played = await play({ url, caPem, token: users.admin!.token }, form)
      expect(tableOf(played, form)).toEqual(recorded(form))
    } finally {
      await server.stop()
    }
  },
  300_000,
)
