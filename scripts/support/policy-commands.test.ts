import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { COMMANDS } from './admin-commands'

useTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'drydock-policies-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const ctx = { actor: { kind: 'cli' as const, id: 'cli:t', name: 't', role: 'admin' as const } }
async function run(command: string, ...args: string[]): Promise<string> {
  const lines: string[] = []
  expect(await COMMANDS[command]!.run(ctx, args, (line) => lines.push(line))).toBe(0)
  return lines.join('\n')
}

test('policies come from a file, are listed and exported as they were', async () => {
  expect(await run('policies')).toBe('There is no policy: what is built in holds for every group.')
  const text = [
    'name: wide',
    'select: {}',
    'approvals: 1',
    '---',
    'name: narrow',
    'select:',
    '  names:',
    '    - a',
    'approvals: 2',
  ]
  writeFileSync(join(dir, 'policies.yaml'), text.join('\n'))
  expect(await run('policies:import', join(dir, 'policies.yaml'))).toBe('wide: version 1\nnarrow: version 1')
  expect(await run('policies')).toBe(
    'narrow (version 1)  for groups named a: 2 approvals\nwide (version 1)  for every group: 1 approval',
  )
  writeFileSync(join(dir, 'again.yaml'), await run('policies:export'))
  expect(await run('policies:import', join(dir, 'again.yaml'))).toBe(
    'narrow: version 1, as it was\nwide: version 1, as it was',
  )
  await db().rolloutPolicy.create({ data: { name: 'odd', spec: {}, version: 4 } })
  await db().rolloutPolicy.updateMany({ where: { name: 'odd' }, data: { spec: { no: 1 } } })
  expect(await run('policies')).toContain('odd (version 4)  cannot be read')
})

test('an import and a disabled account say which policy asks for more people than there are', async () => {
  await db().rolloutPolicy.deleteMany()
  const { id: clusterId } = await db().managementCluster.create({ data: { name: 'm', server: '' } })
  await db().group.create({
    data: {
      ...{
        id: 'a2c5e8b0-0000-4000-8000-000000000001',
        clusterId,
        name: 'w',
        kind: 'MachineDeployment',
        apiVersion: 'v1',
      },
      ...{ namespace: 'n', workloadCluster: 'c', createdAt: new Date(), resourceVersion: '1' },
    },
  })
  for (const id of ['ada', 'bo'])
    await db().user.create({ data: { id, name: id, email: `${id}@example.com`, role: 'approver' } })
  await db().user.create({ data: { id: 'cy', name: 'cy', email: 'cy@example.com', role: 'admin' } })
  const file = join(dir, 'many.yaml')
  writeFileSync(file, 'name: many\nselect: {}\napprovals: 3\n')
  expect(await run('policies:import', file)).toBe('many: version 1')
  const few = '! The policy many: It asks for 3 approvals and 2 accounts may approve: nothing could go.'
  expect(await run('disable-user', 'bo@example.com')).toContain(few)
  expect(await run('policies:import', file)).toContain(few)
})
