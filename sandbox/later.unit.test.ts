import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Persistence } from './persistence'

test('a machine that was coming up when it was stopped has not waited meanwhile; everything else is as old as it is', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'drydock-later-'))
  try {
    const created = '2026-01-01T00:00:00Z'
    const condition = { type: 'Ready', lastTransitionTime: created }
    const machine = (name: string, status: object) => ({
      resource: 'machines.cluster.x-k8s.io',
      object: { metadata: { name, creationTimestamp: created }, status },
    })
    const lines = [
      machine('coming', { conditions: [condition] }),
      machine('there', { nodeRef: { name: 'n' }, conditions: [condition] }),
      { resource: 'machinesets.cluster.x-k8s.io', object: { metadata: { name: 's', creationTimestamp: created } } },
    ]
    const path = join(directory, 'objects.ndjson')
    await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'))
    const stopped = new Date(Date.now() - 3_600_000)
    await utimes(path, stopped, stopped)
    const [coming, there, set] = (await new Persistence(directory).objects())!.map(({ object }) => object)
    const hour = Date.parse(coming!.metadata.creationTimestamp) - Date.parse(created)
    expect(Math.abs(hour - 3_600_000)).toBeLessThan(60_000)
    expect(coming!.status).toEqual({
      conditions: [{ ...condition, lastTransitionTime: coming!.metadata.creationTimestamp }],
    })
    expect(there!.metadata.creationTimestamp).toBe(created)
    expect(set!.metadata.creationTimestamp).toBe(created)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
