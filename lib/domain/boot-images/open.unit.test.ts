import { describe, expect, test } from 'vitest'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readImageContext, readImageSet } from '@/lib/providers/openshift/image-sets'
import { setChanges, type SetNow } from './managed/preview'
import { cloudOnly } from './cloud-only'
import { OUTCOMES } from './set-words'
import { bootImageState } from './state'
import { secretWords } from './user-data'

const images = {
  aws: { regions: { 'us-east-1': { release: '9.6.20260101-0', image: 'ami-new' } } },
  gcp: { release: '9.6.20260101-0', project: 'rhcos-cloud', name: 'rhcos-9-6' },
}
const STREAM = { stream: 'demo', architectures: { x86_64: { artifacts: {}, images } } }
const object = (status: object): KubeObject => ({ metadata: { name: 'x' }, status }) as unknown as KubeObject
/** `to`: the release of an update that is under way. */
const context = (platform: string, version: string, to?: string) =>
  readImageContext({
    infrastructure: object({ platformStatus: { type: platform } }),
    clusterVersion: object({
      history: [...(to ? [{ state: 'Partial', version: to }] : []), { state: 'Completed', version }],
    }),
    configMap: { metadata: { name: 'x' }, data: { stream: JSON.stringify(STREAM) } } as unknown as KubeObject,
    controlPlaneArch: 'x86_64',
  })
const aws = (image: string) => ({
  ami: { id: image },
  placement: { region: 'us-east-1' },
  userDataSecret: { name: 'mine' },
})
const set = (value: object, metadata: object = {}) =>
  readImageSet({
    ...{ kind: 'MachineSet', metadata: { name: 's', labels: {}, ...metadata } },
    spec: { template: { spec: { providerSpec: { value } } } },
  } as unknown as KubeObject)
const ALL = [{ resource: 'machinesets', apiGroup: 'machine.openshift.io', selection: { mode: 'All' } }] as never
const changeOf = (of: ReturnType<typeof set>, within: ReturnType<typeof context>, release: string) => {
  const { state, outcome, reason, current, wanted } = bootImageState(of, within)
  const now: SetNow = {
    kind: 'MachineSet',
    name: 's',
    replicas: 1,
    labels: {},
    state,
    outcome,
    reason,
    current,
    wanted,
  }
  return setChanges([now], ALL, ALL, cloudOnly('AWS', release))[0]!
}

const OWNED = { ownerReferences: [{ kind: 'Cluster', name: 'c' }] }
const OF_STREAM = { labels: { 'machineconfiguration.openshift.io/osstream': 'rhel-10' } }

describe('what the release of the operator leaves open is not told as left to the cloud', () => {
  test.each([
    ['owned', OWNED, '4.18.9', '4.19.1'],
    ['of another stream', OF_STREAM, '4.21.9', '4.22.1'],
  ])('%s', (_, metadata, from, to) => {
    const change = changeOf(set(aws('ami-new'), metadata), context('AWS', from, to), from)
    expect(change).toMatchObject({ fate: 'not-known', to: null })
    expect(change.words).not.toContain('recognises')
  })
})

describe('while 4.18 is updated to 4.19, the swap of the user data secret is not said for sure', () => {
  const within = context('AWS', '4.18.9', '4.19.1')
  const perhaps =
    /An operator of 4\.18 replaces its user data secret mine by worker-user-data-managed, one after keeps it/

  test('beside the image of the release, which nothing writes', () => {
    const found = bootImageState(set(aws('ami-new')), within)
    expect(found).toMatchObject({
      state: 'current',
      outcome: 'not-known',
      reason: expect.stringMatching(perhaps) as string,
    })
    expect([found.patch, secretWords(found.reason)]).toEqual([undefined, ''])
    const change = changeOf(set(aws('ami-new')), within, '4.18.9')
    expect(change).toMatchObject({ fate: 'not-known', to: null })
    expect(change.words).toMatch(/^It has the image of the release already\. An operator/)
  })

  test('nor with another image', () => {
    const found = bootImageState(set(aws('ami-old')), within)
    expect(found).toMatchObject({ outcome: 'undecided', patch: { ami: { id: 'ami-new' } } })
    expect(found.reason).toMatch(perhaps)
    expect(found.patch).not.toHaveProperty('userDataSecret')
  })

  test('where there is none, an operator of 4.18 ends on it, and one after does not', () => {
    const found = bootImageState(set({ ...aws('ami-new'), userDataSecret: null }), within)
    expect(found).toMatchObject({ outcome: 'not-known', reason: expect.stringMatching(/ends on such a set/) as string })
  })
})

test('from the beginning of an update to 4.23 on, the operator may fail where EC2 gives it no answer', () => {
  const history = [
    { state: 'Partial', version: '4.23.0' },
    { state: 'Completed', version: '4.22.4' },
  ]
  expect(cloudOnly('AWS', '4.22.4')?.failsWhere).toBeNull()
  expect(cloudOnly('AWS', '4.22.4', history)?.failsWhere).toContain('EC2')
})

test('no operator asks a cloud on GCP, or on AWS before 4.23, and no word says so', () => {
  const listed = bootImageState(set(aws('ami-old')), context('AWS', '4.22.4'))
  const gcp = bootImageState(
    set({ disks: [{ boot: true, image: 'projects/rhcos-cloud/global/images/rhcos-9-2' }] }, OF_STREAM),
    context('GCP', '4.21.9', '4.22.1'),
  )
  expect([listed, gcp].map(({ outcome }) => OUTCOMES[outcome])).toEqual(['depends on its image', 'not known here'])
})
