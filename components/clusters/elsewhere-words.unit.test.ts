import { expect, test } from 'vitest'
import { elsewhereWords } from './elsewhere-words'

const of = (resource: string, elsewhere: number) => ({ resource, elsewhere, elsewhereIn: elsewhere ? ['atlas'] : [] })

test('says which objects are which other cluster’s, by their kinds, that the rest is its own, and nothing where none are', () => {
  expect(elsewhereWords([of('machines.cluster.x-k8s.io', 0)])).toBeNull()
  const words = elsewhereWords([
    of('clusters.cluster.x-k8s.io', 0),
    of('machines.cluster.x-k8s.io', 1200),
    of('machinedeployments.cluster.x-k8s.io', 1),
  ])
  expect(words).toMatch(/^Objects here have the uids of objects of atlas: 1,200 Machines, 1 MachineDeployment\. /)
  expect(words).toContain('Whatever else is here is shown, planned and approved here.')
})
