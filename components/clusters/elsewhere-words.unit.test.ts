import { expect, test } from 'vitest'
import { elsewhereWords } from './elsewhere-words'

test('says which objects are another cluster’s, and nothing where none are', () => {
  expect(elsewhereWords([{ resource: 'machines.cluster.x-k8s.io', elsewhere: 0 }])).toBeNull()
  expect(
    elsewhereWords([
      { resource: 'clusters.cluster.x-k8s.io', elsewhere: 0 },
      { resource: 'machines.cluster.x-k8s.io', elsewhere: 1200 },
      { resource: 'machinedeployments.cluster.x-k8s.io', elsewhere: 3 },
    ]),
  ).toMatch(/^Objects here .*\(1,200 of machines\.cluster\.x-k8s\.io, 3 of machinedeployments\.cluster\.x-k8s\.io\)/)
})
