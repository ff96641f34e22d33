import type { JoinFacts, Mates } from './types'

export const mates = (more: Partial<Mates>): Mates => ({
  ...{ joined: 0, first: '2026-11-20T00:00:00.000Z', last: null, ever: more.joined ?? 0, stuck: 1 },
  ...more,
})

/** A machine on AWS that has run for two hours with an image that nothing tells the age of. */
export const factsLike = (more: Partial<JoinFacts>): JoinFacts => ({
  ...{ name: 'm-1', namespace: 'openshift-machine-api', controlPlane: false, clusterId: 'c-1', cluster: 'tidal' },
  set: {
    ...{ kind: 'MachineSet', name: 'workers', state: 'outdated', current: 'ami-1', dated: null },
    ...{ managed: false, outcome: 'update' },
  },
  platform: 'AWS',
  release: { version: '4.22.4', completedAt: '2026-11-01T00:00:00.000Z' },
  streamRelease: '9.8.20260714-0',
  floor: { ocp: '4.13.0', rhel: '9.2', source: 'table' },
  createdAt: '2026-11-21T05:38:11.000Z',
  since: '2026-11-21T06:05:00.000Z',
  said: { instance: 'running', userData: 'worker-user-data', reason: null, message: null },
  ...{ providerId: 'aws:///us-east-1b/i-1', image: 'ami-1', wanted: false, otherArch: null, dated: null },
  ...{ sameImage: mates({}), joinedUnder: null, sameSet: mates({}), all: { joined: 0, stuck: 1 } },
  ...more,
})
