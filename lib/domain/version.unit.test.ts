import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { downWords, lowestVersion, minorOf, versionKey } from './version'

/** Precedence as semver 2.0.0 gives it, part 11: written here anew, so that the key has something to be held against. */
function precedence(a: string, b: string): number {
  const parts = (version: string) => {
    const [release = '', pre] = version.replace(/^v|\+.*$/g, '').split(/-(.*)/s)
    return { numbers: release.split('.').map(Number), pre: pre?.split('.') }
  }
  const [x, y] = [parts(a), parts(b)]
  for (let i = 0; i < 3; i++) if (x.numbers[i] !== y.numbers[i]) return Math.sign(x.numbers[i]! - y.numbers[i]!)
  if (!x.pre || !y.pre) return Number(!x.pre) - Number(!y.pre)
  for (let i = 0; i < Math.max(x.pre.length, y.pre.length); i++) {
    const [p, q] = [x.pre[i], y.pre[i]]
    if (p === q) continue
    if (p === undefined || q === undefined) return p === undefined ? -1 : 1
    const numeric = [p, q].map((part) => /^\d+$/.test(part))
    if (numeric[0] && numeric[1]) return Math.sign(Number(p) - Number(q))
    if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1
    return p < q ? -1 : 1
  }
  return 0
}

const identifier = fc.oneof(
  fc.nat(1200).map(String),
  fc.constantFrom('alpha', 'alpha-1', 'beta', 'rc', 'rc1', 'RC', '-', 'eks-1a2b', '0x1'),
)
const version = fc
  .tuple(
    fc.tuple(fc.nat(2), fc.nat(40), fc.nat(12)),
    fc.option(fc.array(identifier, { minLength: 1, maxLength: 3 })),
    fc.constantFrom('', '+k3s1', '+build.7'),
  )
  .map(([numbers, pre, build]) => `v${numbers.join('.')}${pre ? `-${pre.join('.')}` : ''}${build}`)

describe('versionKey', () => {
  it('sorts, byte by byte, as versions do', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const [x, y] = [versionKey(a)!, versionKey(b)!]
        expect(Buffer.compare(Buffer.from(x), Buffer.from(y))).toBe(precedence(a, b))
      }),
      { numRuns: 2000 },
    )
  })

  it('puts the example of the specification in its order', () => {
    const order = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1'].map((pre) => `1.0.0-${pre}`)
    expect([...order, '1.0.0'].map(versionKey)).toEqual([...order, '1.0.0'].map(versionKey).sort())
  })

  it.each([
    ['v1.34', '000001.000034.000000~'],
    ['1.34.2+k3s1', '000001.000034.000002~'],
    ['latest', null],
    ['', null],
  ])('%s is %s', (text, key) => expect(versionKey(text)).toBe(key))

  it('finds the lowest of some', () => {
    expect(lowestVersion(['v1.34.2', null, 'v1.34.2-rc.1', 'x', 'v1.35.0'])).toBe('v1.34.2-rc.1')
    expect(lowestVersion([undefined])).toBeNull()
  })
})

test.each<[string | null, string | null, boolean]>([
  ['v1.34.3', 'v1.31.0', true],
  ['v1.34.3', 'v1.33.9', true],
  ['v1.34.3', 'v1.34.1', false],
  ['v1.34.3', 'v1.35.0-rc.0', false],
  ['v1.9.0', 'v1.10.0', false],
  ['v2.0.0', 'v1.40.0', true],
  [null, 'v1.0.0', false],
  ['v1.0.0', null, false],
  ['odd', 'v1.0.0', false],
])('%s to %s goes down: %s', (from, to, down) => expect(downWords(from, to) !== null).toBe(down))

test('who does not support a step down is whoever would make it', () => {
  const pool = { kind: 'MachineConfigPool' }
  expect(downWords('4.21.14', '4.17.15', pool)).toBe(
    'It goes down, from 4.21.14 to 4.17.15: OpenShift does not support going back to an older minor release.',
  )
  expect(downWords('4.21.14', '4.17.15', { ...pool, over: true })).toMatch(/^It went down, .*: OpenShift/)
  expect(downWords('v1.34.3', 'v1.31.0', { kind: 'MachineDeployment' })).toMatch(/: Cluster API does not refuse/)
})

test.each([
  ['v1.34.2', 'v1.34'],
  ['1.34.0-rc.1+build', 'v1.34'],
  ['v1.34', 'v1.34'],
  ['main', null],
  [null, null],
])('the minor version of %s is %s', (version, minor) => expect(minorOf(version)).toBe(minor))
