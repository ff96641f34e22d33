import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { systemCtx } from '@/lib/services/context'
import { latchedCluster } from '@/testenv/deciding'
import { GOVERNED } from '@/testenv/latch'
import { COMMANDS } from './admin-commands'
import { joined } from './plan-command'

useTestDatabase()

const MD = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments' }
const at = latchedCluster()
const folder = mkdtempSync(join(tmpdir(), 'drydock-plan-'))
let namespace: string

beforeAll(async () => {
  namespace = await at.cluster.namespace(GOVERNED)
  const workers = { replicas: 1, maxSurge: 0, maxUnavailable: 1 }
  await at.cluster.workloadCluster({ namespace, name: 'w', version: 'v1.34.0', workers })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const run = async (...args: string[]): Promise<{ code: number; lines: string[] }> => {
  const lines: string[] = []
  const code = await COMMANDS.plan!.run(systemCtx('test'), args, (line) => lines.push(line))
  return { code, lines }
}
const manifest = async (change: (spec: { replicas: number; template: { spec: Record<string, unknown> } }) => void) => {
  const { spec } = await at.cluster.admin.get(MD, 'w-md', namespace)
  const wanted = structuredClone(spec) as never
  change(wanted)
  const metadata = { name: 'w-md', namespace }
  return stringify({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', metadata, spec: wanted })
}

test('0: nothing is updated or replaced', async () => {
  const { code, lines } = await run('-f', file('same.yaml', await manifest(() => undefined)))
  expect(code).toBe(0)
  expect(lines[0]).toBe('No machine would be touched. (m; nothing was applied)')
})

test('10: machines are replaced, in sentences and as JSON', async () => {
  const text = await manifest(({ template }) => (template.spec.version = 'v1.34.1'))
  const path = file('version.yaml', text)
  const { code, lines } = await run('--cluster', 'm', '-f', path)
  expect(code).toBe(10)
  expect(lines).toContain(`${path}:1: MachineDeployment ${namespace}/w-md would be changed.`)
  expect(lines).toContain('  machine version: v1.34.0 → v1.34.1')
  expect(lines.at(-1)).toBe('  Machines: 1 replace.')
  const json = await run('-f', path, '--json')
  expect(json.code).toBe(10)
  expect(JSON.parse(json.lines.join('\n'))).toMatchObject({
    ...{ verdict: 'replace', exitCode: 10, cluster: 'm' },
    documents: [{ file: path, line: 1, outcome: 'changed', answer: null }],
    groups: [
      {
        ...{ kind: 'MachineDeployment', name: 'w-md', fromVersion: 'v1.34.0', toVersion: 'v1.34.1', machines: 1 },
        ...{ heldBy: 'latch', counts: { replace: 1 }, created: 1, deleted: 1, undetermined: [], waiting: null },
        fields: [{ object: 'machine', path: 'version', current: 'v1.34.0', desired: 'v1.34.1' }],
        // No watch has brought its machines yet.
        course: null,
      },
    ],
  })
})

test('11: blocked, or not known', async () => {
  const text = await manifest(({ template }) => {
    template.spec.infrastructureRef = { ...(template.spec.infrastructureRef as object), name: 'nowhere' }
  })
  expect((await run('-f', file('blocked.yaml', text))).code).toBe(11)
  const pool = 'apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachinePool\nmetadata: {name: x}\n'
  expect((await run('-f', file('pool.yaml', pool))).code).toBe(11)
})

test('12: what cannot be applied, by file and line', async () => {
  const good = file('good.yaml', await manifest(() => undefined))
  const bad = file('bad.yaml', '# one\nkind: x\na: [1\n')
  const { code, lines } = await run('-f', good, bad)
  expect(code).toBe(12)
  expect(lines.join('\n')).toMatch(new RegExp(`${bad}:[34]: This is not YAML`))
  const refused = file('refused.yaml', await manifest(({ template }) => (template.spec.version = 'latest')))
  const said = await run('-f', refused)
  expect(said.code).toBe(12)
  expect(said.lines.join('\n')).toContain('must be a valid semantic version')
  const empty = await run('--json', '-f', file('empty.yaml', '\n'))
  expect(empty.code).toBe(12)
  expect(JSON.parse(empty.lines[0]!)).toMatchObject({ verdict: 'invalid', exitCode: 12 })
})

test('what is no plan at all is an error of its own', async () => {
  const path = file('any.yaml', 'a: 1')
  await expect(run()).rejects.toMatchObject({ code: 'ERR_PARSE_ARGS' })
  await expect(run('-f', join(folder, 'not-there.yaml'))).rejects.toThrow('The manifest')
  await expect(run('-f', path, '--cluster', 'other')).rejects.toMatchObject({ code: 'not-found' })
})

test('lines of several files are told apart', () => {
  const { text, placeOf } = joined([
    { name: 'a', text: 'x: 1\ny: 2' },
    { name: 'b', text: 'z: 3\n' },
    { name: 'c', text: '# c\nw: 4\n' },
  ])
  const lines = text.split('\n')
  expect(lines).toEqual(['x: 1', 'y: 2', '---', 'z: 3', '---', '# c', 'w: 4', ''])
  for (const [line, file, own] of [
    [2, 'a', 2],
    [4, 'b', 1],
    [7, 'c', 2],
  ] as const)
    expect(placeOf(line)).toEqual({ file, line: own })
  expect(placeOf(null)).toEqual({ file: '', line: null })
})
