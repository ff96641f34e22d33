import { expect, test } from 'vitest'
import { bootImageState } from './state'
import { parseStreamMap } from './stream'
import type { ImageContext, ImageSet } from './types'

const region = (image: string) => ({ release: '9.8.20260714-0', image })
const aws = { regions: { 'us-east-1': region('ami-east'), 'eu-west-1': region('ami-west') } }
const stream = JSON.stringify({
  ...{ stream: 'rhel-9.8', metadata: {} },
  architectures: { x86_64: { artifacts: { aws: { release: '9.8.20260714-0', formats: {} } }, images: { aws } } },
})
const context: ImageContext = {
  ...{ platform: 'AWS', infrastructureName: 'demo', multiArch: false, controlPlaneArch: 'x86_64', failureDomains: [] },
  stream: parseStreamMap({ releaseVersion: '4.22.4', stream }),
}
const imageOf = (id: string) => {
  const set: ImageSet = {
    ...{
      kind: 'MachineSet',
      name: 'worker-a',
      replicas: 2,
      labels: {},
      annotations: {},
      templateLabels: {},
      owners: [],
    },
    providerSpec: { ami: { id }, placement: { region: 'us-east-1' }, userDataSecret: { name: 'worker-user-data' } },
  }
  return bootImageState(set, context)
}

test('the release’s own image of another region is told as that, and not as one of your own', () => {
  const found = imageOf('ami-west')
  expect(found).toMatchObject({ state: 'unknown', outcome: 'undecided', wanted: 'ami-east' })
  expect(found.reason).toBe('The release’s own image of another region, eu-west-1: no machine starts from it here.')
  expect(imageOf('ami-other').reason).toContain('a Marketplace image or one of your own')
  expect(imageOf('ami-east').state).toBe('current')
})
