import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readDocuments } from './documents'
import { concernOf, mayBeMistyped } from './kinds'

const md = (name: string, more = ''): string =>
  `apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: ${name}, namespace: a}\n${more}`

describe('documents of a text', () => {
  test('each by the line where it begins, comments and empty ones left out', () => {
    const { given, wrong } = readDocuments(`# first\n\n${md('x')}---\n# nothing here\n---\n${md('y')}`)
    expect(wrong).toEqual([])
    expect(given.map(({ line, name }) => [line, name])).toEqual([
      [3, 'x'],
      [9, 'y'],
    ])
  })

  test('too many are not read to the end, good ones nor bad ones nor those of a list', () => {
    const many = (one: (i: number) => string) => Array.from({ length: 4_000 }, (_, i) => one(i)).join('---\n')
    const list = `kind: List\napiVersion: v1\nitems: [${'null,'.repeat(4_000)}]`
    for (const text of [many((i) => md(`x${i}`)), many(() => 'a\n'), list]) {
      const { given, wrong } = readDocuments(text)
      expect(given.length + wrong.length).toBe(201)
    }
  })

  test('what is no object in a list is said to be', () => {
    const { given, wrong } = readDocuments(`kind: List\napiVersion: v1\nitems: [null, {a: 1}]`)
    expect([given.length, wrong.map(({ sentence }) => sentence)]).toEqual([
      0,
      [expect.stringContaining('is no object'), expect.stringContaining('apiVersion and kind')],
    ])
  })

  test('one that is wrong is told by its line, and hides no other', () => {
    const { given, wrong } = readDocuments(`${md('x')}---\n${md('y', 'spec:\n  a: [1\n  b: 2\n')}---\n${md('z')}`)
    expect(given.map(({ name }) => name)).toEqual(['x', 'z'])
    expect(wrong).toHaveLength(1)
    expect(wrong[0]!.line).toBe(5)
    expect(wrong[0]!.errorLine).toBeGreaterThanOrEqual(9)
    expect(wrong[0]!.sentence).toMatch(/^This is not YAML: .*\.$/)
  })

  test.each([
    ['a key that stands twice', md('x', 'spec: {a: 1, a: 2}'), 'Map keys must be unique'],
    ['a text', 'just words', 'This is not an object'],
    ['no kind', 'apiVersion: v1\nmetadata: {name: x}', 'apiVersion and kind are missing'],
    ['a name that is a path', md('..'), '“..” cannot be a name'],
    ['a name with a slash', md('a/b'), '“a/b” cannot be a name'],
    ['a long name', md('a'.repeat(254)), 'at most 253 characters'],
    ['a name in capitals', md('Web'), '“Web” cannot be a name'],
    ['a namespace that is none', md('x').replace('namespace: a', 'namespace: a_b'), '“a_b” cannot be a name'],
    ['a version that is none', md('x').replace('/v1beta2', '/../v1'), '“cluster.x-k8s.io/../v1” is no apiVersion'],
    ['a number that is rounded', md('x', 'spec: {a: 12345678901234567890}'), 'cannot be kept exactly'],
    [
      'laughs',
      `a: &a [x]\n${'bcdefgh'
        .split('')
        .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefg'[i]}`).join()}]`)
        .join('\n')}`,
      'repeats its anchors too often',
    ],
  ])('%s', (_what, text, sentence) => {
    const { given, wrong } = readDocuments(text)
    expect(given).toEqual([])
    expect(wrong.map((w) => w.sentence).join()).toContain(sentence)
  })

  test('a List is what it lists; JSON is YAML', () => {
    const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
    const { given } = readDocuments(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item, item] }))
    expect(given.map(({ kind, concern }) => [kind, concern])).toEqual([
      ['ConfigMap', 'beside'],
      ['ConfigMap', 'beside'],
    ])
  })

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.stringMatching(/^[-a:[\]{}&*\n #|>'"!]{0,60}$/)), (text) => {
        const { given, wrong } = readDocuments(text)
        for (const { line } of [...given, ...wrong]) expect(line).toBeLessThanOrEqual(text.split('\n').length + 1)
      }),
      { numRuns: 2_000 },
    )
    expect(readDocuments('['.repeat(100_000)).wrong).toHaveLength(1)
  })

  test('what is written comes back as it was meant', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ noUnicodeString: false })),
        (spec) => {
          const object = {
            apiVersion: 'cluster.x-k8s.io/v1beta2',
            kind: 'MachineDeployment',
            metadata: { name: 'x', namespace: 'y' },
            spec,
          }
          const { given, wrong } = readDocuments(stringify(object))
          if (wrong.length > 0) expect(wrong[0]!.sentence).toContain('cannot be kept exactly')
          else expect(given[0]!.object).toEqual(JSON.parse(JSON.stringify(object)))
        },
      ),
    )
  })
})

test.each([
  ['cluster.x-k8s.io/v1beta2', 'MachineDeployment', 'group'],
  ['cluster.x-k8s.io/v1beta1', 'Cluster', 'cluster'],
  ['cluster.x-k8s.io/v1beta2', 'MachineSet', 'unplanned'],
  ['cluster.x-k8s.io/v1beta2', 'ClusterClass', 'unplanned'],
  ['cluster.x-k8s.io/v1beta2', 'MachineHealthCheck', 'beside'],
  ['controlplane.cluster.x-k8s.io/v1beta2', 'KubeadmControlPlane', 'group'],
  ['controlplane.cluster.x-k8s.io/v1beta2', 'KubeadmControlPlaneTemplate', 'unplanned'],
  ['controlplane.cluster.x-k8s.io/v1beta1', 'RKE2ControlPlane', 'unplanned'],
  ['vmware.infrastructure.cluster.x-k8s.io/v1beta2', 'VSphereMachineTemplate', 'template'],
  ['noinfrastructure.cluster.x-k8s.io/v1', 'XMachineTemplate', 'beside'],
  ['infrastructure.cluster.x-k8s.io/v1beta1', 'AzureMachineTemplate', 'template'],
  ['infrastructure.cluster.x-k8s.io/v1beta1', 'AzureClusterTemplate', 'beside'],
  ['infrastructure.cluster.x-k8s.io/v1beta1', 'AWSCluster', 'beside'],
  ['infrastructure.cluster.x-k8s.io/v1beta1', 'AzureMachinePool', 'unplanned'],
  ['bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfigTemplate', 'template'],
  ['bootstrap.cluster.x-k8s.io/v1beta2', 'KubeadmConfig', 'unplanned'],
  ['machineconfiguration.openshift.io/v1', 'MachineConfig', 'unplanned'],
  ['cluster.x-k8s.io/v1beta2', 'MachineDeploymnet', 'unplanned'],
  ['apps/v1', 'Deployment', 'beside'],
  ['v1', 'Secret', 'beside'],
])('%s %s: %s', (apiVersion, kind, concern) => {
  expect(concernOf(apiVersion, kind)).toBe(concern)
})

test.each([
  ['cluster.x-k8s.io/v1beta2', 'MachineDeploymnet', true],
  ['cluster.x-k8s.o/v1beta2', 'MachineDeployment', true],
  ['v1beta2', 'MachineSet', true],
  ['addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSet', true],
  ['apps/v1', 'Deployment', false],
  ['argoproj.io/v1alpha1', 'Application', false],
  ['v1', 'ConfigMap', false],
])('%s %s has to be known to the API server: %s', (apiVersion, kind, yes) => {
  expect(mayBeMistyped(apiVersion, kind)).toBe(yes)
})
