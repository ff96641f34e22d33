import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../json'
import { changesByName } from './by-name'
import { changesBetween } from './diff'
import { masked } from './secrets'
import type { FieldChange } from './types'

const revisions = (current: JsonObject, desired: JsonObject) =>
  [
    { machine: {}, bootstrap: current },
    { machine: {}, bootstrap: desired },
  ] as const

const shown = (current: JsonObject, desired: JsonObject, covered: (change: FieldChange) => string | undefined) => {
  const [before, after] = revisions(current, desired)
  const changes = changesBetween(before, after).map((change) => {
    const by = covered(change)
    return by ? { ...change, coveredBy: by } : change
  })
  return changesByName(changes, before, after)
}

const lines = (current: JsonObject, desired: JsonObject, covered = (_: FieldChange): string | undefined => undefined) =>
  shown(current, desired, covered).map(
    ({ path, coveredBy, ...change }) =>
      `${path}: ${JSON.stringify(change.current) ?? '-'} > ${JSON.stringify(change.desired) ?? '-'}${coveredBy ? ` by ${coveredBy}` : ''}`,
  )

const file = (path: string, more: JsonObject = {}): JsonObject => ({ path, owner: 'root', ...more })

test('an item that changed where it stands has its name', () => {
  const files = [file('/a'), file('/etc/x', { permissions: '0600' })]
  expect(lines({ files }, { files: [files[0]!, file('/etc/x', { permissions: '0644' })] })).toEqual([
    'files["/etc/x"].permissions: "0600" > "0644"',
  ])
})

test('what came in front of others is one change, and what left is one', () => {
  const [a, b, c] = ['/a', '/b', '/c'].map((path) => file(path)) as [JsonObject, JsonObject, JsonObject]
  expect(lines({ files: [b, c] }, { files: [a, b, c] })).toEqual([`files["/a"]: - > ${JSON.stringify(a)}`])
  expect(lines({ files: [a, b, c] }, { files: [a, c] })).toEqual([`files["/b"]: ${JSON.stringify(b)} > -`])
  expect(lines({ files: [a, b] }, { files: [{ ...b, owner: 'me' }, c] })).toEqual([
    `files["/a"]: ${JSON.stringify(a)} > -`,
    'files["/b"].owner: "root" > "me"',
    `files["/c"]: - > ${JSON.stringify(c)}`,
  ])
})

test('another order is said as such', () => {
  const [a, b] = [file('/a'), file('/b')]
  expect(lines({ files: [a, b] }, { files: [b, a] })).toEqual(['files: ["/a","/b"] > ["/b","/a"]'])
})

test('lists of texts: a long one that was changed is one change, also where another one came', () => {
  const commands = (...preKubeadmCommands: string[]): JsonObject => ({ preKubeadmCommands })
  const [long, other] = ['set -e\nrun a\n', 'set -e\nrun b\n']
  expect(lines(commands('a', long), commands('a', other, 'new\nlines'))).toEqual([
    `preKubeadmCommands[1]: ${JSON.stringify(long)} > ${JSON.stringify(other)}`,
    'preKubeadmCommands[2]: - > "new\\nlines"',
  ])
  expect(lines(commands(long, 'a', 'b'), commands('a', other))).toEqual([
    `preKubeadmCommands[0]: ${JSON.stringify(long)} > -`,
    'preKubeadmCommands[2]: "b" > -',
    `preKubeadmCommands[1]: - > ${JSON.stringify(other)}`,
  ])
})

test('lists of texts: what came and went stands at its place', () => {
  const commands = (...preKubeadmCommands: string[]): JsonObject => ({ preKubeadmCommands })
  expect(lines(commands('b', 'c'), commands('a', 'b', 'c'))).toEqual(['preKubeadmCommands[0]: - > "a"'])
  expect(lines(commands('a', 'b', 'c'), commands('a', 'c'))).toEqual(['preKubeadmCommands[1]: "b" > -'])
  expect(lines(commands('a', 'b'), commands('a', 'x'))).toEqual(['preKubeadmCommands[1]: "b" > "x"'])
  expect(lines(commands('a', 'b', 'c'), commands('b', 'a'))).toEqual([
    ...['preKubeadmCommands[0]: "a" > "b"', 'preKubeadmCommands[1]: "b" > "a"', 'preKubeadmCommands[2]: "c" > -'],
  ])
  expect(lines(commands('a', 'a'), commands('a', 'a', 'a'))).toEqual(['preKubeadmCommands[2]: - > "a"'])
})

test('items that nothing names are compared place by place', () => {
  const taint = (effect: string): JsonObject => ({ key: 'k', effect })
  expect(lines({ taints: [taint('A'), taint('B')] }, { taints: [taint('C'), taint('A'), taint('B')] })).toEqual([
    ...['taints[0].effect: "A" > "C"', 'taints[1].effect: "B" > "A"'],
    'taints[2]: - > {"key":"k","effect":"B"}',
  ])
})

test('lists in items of lists', () => {
  const disk = (device: string, ...names: string[]): JsonObject => ({ device, parts: names.map((name) => ({ name })) })
  expect(lines({ disks: [disk('sda', 'x')] }, { disks: [disk('sda', 'w', 'x')] })).toEqual([
    'disks["sda"].parts["w"]: - > {"name":"w"}',
  ])
})

test('who covers all of what moved covers what is shown of it; half of it is nobody’s', () => {
  const [a, b] = [file('/a'), file('/b')]
  const all = lines({ files: [b], users: [{ name: 'u' }] }, { files: [a, b], users: [{ name: 'v' }] }, () => 'os')
  expect(all).toEqual([
    `files["/a"]: - > ${JSON.stringify(a)} by os`,
    ...['users["u"]: {"name":"u"} > - by os', 'users["v"]: - > {"name":"v"} by os'],
  ])
  const half = lines({ files: [b] }, { files: [a, b] }, ({ path }) => (path === 'files[1]' ? 'os' : undefined))
  expect(half).toEqual([`files["/a"]: - > ${JSON.stringify(a)}`])
})

test('what has no list, and paths that are in neither side, stay as they are', () => {
  const [before, after] = revisions({ verbosity: 1 }, { verbosity: 2 })
  const others: FieldChange[] = [
    ...[{ object: 'machine' as const, path: 'rollout.after', desired: 'x' }],
    { object: 'bootstrap', path: 'files[3].path', desired: 'x' },
  ]
  expect(changesByName([...changesBetween(before, after), ...others], before, after)).toEqual([
    ...[others[0], ...changesBetween(before, after), others[1]],
  ])
})

test('a credential is masked by what names it, and says what it is of', () => {
  const env = (value: string): JsonObject => ({ env: [{ name: 'DB_PASSWORD', value }] })
  const changes = masked(
    shown(env('hunter2'), env('hunter3'), () => undefined),
    'p',
    () => 'd',
  )
  expect(changes).toMatchObject([{ path: 'env["DB_PASSWORD"].value', secret: true }])
  expect(JSON.stringify(changes)).not.toContain('hunter')
  const added = masked(
    shown({ files: [file('/b')] }, { files: [file('/a', { content: 'xyzzy' }), file('/b')] }, () => undefined),
    'p',
    () => 'd',
  )
  expect(added).toMatchObject([{ path: 'files["/a"]', secret: true }])
  expect(JSON.stringify(added)).not.toContain('xyzzy')
})

test.each<[string, JsonObject, JsonObject]>([
  ['below a telling word', { credentials: [{ name: 'a', x: 1 }] }, { credentials: [{ name: 'b', x: 1 }] }],
  ['by a key', { keys: [{ key: 'hunter', x: 1 }] }, { keys: [{ key: 'hunter', x: 2 }] }],
  ['that is a command', { run: [{ name: 'curl --token x', a: 1 }] }, { run: [{ name: 'curl --token x', a: 2 }] }],
  ['that is a token', { ids: [{ name: 'abcdef.0123456789abcdef', a: 1 }] }, { ids: [] }],
])('no item has a name %s', (_what, current, desired) => {
  for (const { path } of shown(current, desired, () => undefined)) expect(path).not.toContain('"')
})

test('a list of thousands of items takes no longer than it needs', () => {
  const files = Array.from({ length: 20_000 }, (_, i) => file(`/f${i}`))
  const commands = files.map(({ path }) => `cat ${path as string}`)
  const changes = shown(
    { files, commands, other: files },
    {
      files: [file('/new'), ...files],
      commands: ['true', ...commands],
      other: files.map((f) => ({ ...f, owner: 'me' })),
    },
    () => undefined,
  )
  expect(changes).toHaveLength(20_002)
})

test('played on the lists by their names, the changes lead from one to the other', () => {
  const named = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z./:-]{1,4}$/), size: fc.nat(3) }), {
    selector: ({ name }) => name,
    maxLength: 6,
  })
  fc.assert(
    fc.property(named, named, (current, desired) => {
      const changes = shown({ list: current }, { list: desired }, () => undefined)
      if (current.length === 0 || desired.length === 0) return
      const left = new Map<string, Json>(current.map((value) => [value.name, value]))
      let order: string[] | null = null
      for (const { path, ...change } of changes) {
        const key = /^list\[("(?:[^"\\]|\\.)*")\](\.size)?$/.exec(path)
        if (!key) {
          order = change.desired as string[]
          continue
        }
        const name = JSON.parse(key[1]!) as string
        if (key[2]) left.set(name, { name, size: change.desired! })
        else if (change.desired === undefined) left.delete(name)
        else left.set(name, change.desired)
      }
      const sorted = (values: Iterable<Json>) => [...values].map((value) => JSON.stringify(value)).sort()
      expect(sorted(left.values())).toEqual(sorted(desired as Json[]))
      if (order) expect(order).toEqual(desired.map(({ name }) => name))
      if (JSON.stringify(current) === JSON.stringify(desired)) expect(changes).toEqual([])
    }),
  )
})

test('a list that came with a credential in it is shown item by item: what is masked says what it is called', () => {
  const files = [
    { path: '/etc/auth.json', content: '{"auths":{"r":{"auth":"aHVudGVyOmh1bnRlcg=="}}}', permissions: '0600' },
    { path: '/etc/motd', content: 'Hello', permissions: '0644' },
  ]
  const [before, after] = revisions({}, { files })
  const sides = { current: before, desired: after }
  const found = masked(changesByName(changesBetween(before, after), before, after), 'f', () => '', sides)
  expect(found.map(({ path, secret = false }) => [path, secret])).toEqual([
    ['files["/etc/auth.json"]', true],
    ['files["/etc/motd"]', true],
  ])
  expect(JSON.stringify(found)).not.toContain('aHVudGVy')
  // Without one it is read as a whole, as it came.
  expect(lines({}, { ntp: { servers: ['a', 'b'] } })).toEqual(['ntp: - > {"servers":["a","b"]}'])
})

test('of texts that came, one alone may not tell what they are together: they stay whole', () => {
  const preKubeadmCommands = ['cat > /key <<EOF', '  -----BEGIN RSA PRIVATE KEY-----', 'MIIEowIBAAKCAQEAhunter2', 'EOF']
  const [before, after] = revisions({}, { preKubeadmCommands })
  const sides = { current: before, desired: after }
  const found = masked(changesByName(changesBetween(before, after), before, after), 'f', () => '', sides)
  expect(found.map(({ path, secret }) => [path, secret])).toEqual([['preKubeadmCommands', true]])
  expect(JSON.stringify(found)).not.toContain('hunter2')
})
