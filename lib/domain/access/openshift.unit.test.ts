import { expect, test } from 'vitest'
import type { MissingPermission } from '../capabilities'
import { openShiftAccess, poolLatchWords } from './openshift'
import { NEEDS, type Need } from './permissions'

const missing = (part: Need['part'], only: (m: MissingPermission) => boolean = () => true): MissingPermission[] =>
  NEEDS.filter((need) => need.part === part)
    .flatMap((need) =>
      need.resources.flatMap((resource) =>
        need.verbs.map((verb) => ({
          ...{ verb, group: need.group, resource, part, why: need.why },
          ...(need.names ? { name: need.names[0] } : {}),
        })),
      ),
    )
    .filter(only)
const mc = (m: MissingPermission) => m.resource === 'machineconfigurations'

test('nothing is said where nothing is missing, or only of other parts', () => {
  expect(openShiftAccess([])).toEqual([])
  expect(openShiftAccess(missing('latch'))).toEqual([])
})

test('says which of the roles is missing, wholly or in part, and what does not work then', () => {
  expect(openShiftAccess(missing('openshift-write'))).toEqual([
    'The write role for OpenShift (deploy/rbac-openshift-write.yaml) is not granted: Drydock is not able to acknowledge boot images, opt out, return to automatic and choose which are managed, nor to pause and resume pools, nor to acknowledge what an update asks of an administrator.',
  ])
  expect(openShiftAccess(missing('openshift-write', (m) => m.resource === 'machineconfigpools'))).toEqual([
    'The write role for OpenShift (deploy/rbac-openshift-write.yaml) is granted in part: Drydock is not able to pause and resume pools.',
  ])
  expect(openShiftAccess(missing('openshift', (m) => m.name === 'admin-gates'))).toEqual([
    'The read role for OpenShift (deploy/rbac-openshift.yaml) is granted in part: Drydock is not able to show what an administrator must acknowledge before an update.',
  ])
  const both = openShiftAccess([...missing('openshift'), ...missing('openshift-write')])
  expect(both).toHaveLength(2)
  for (const sentence of both) expect(sentence).toContain('is not granted')
})

test('says what the role for the latch of pools is for, where it was asked for', () => {
  expect(openShiftAccess(missing('openshift-latch', (m) => m.verb !== 'create' || m.resource !== 'events'))).toEqual([
    'The role for the latch of pools (deploy/rbac-openshift-latch.yaml) is granted in part: Drydock is not able to install, check and at once put back the latch of pools, nor to repair and remove the latch of pools.',
  ])
})

test('says whether pools could be held, before anybody chooses how', () => {
  expect(poolLatchWords([], true)).toContain('The permissions for that latch are there.')
  expect(poolLatchWords(missing('openshift-latch'), true)).toContain('which is not granted: Drydock is not able')
  expect(
    poolLatchWords(
      missing('openshift-latch', (m) => m.verb === 'delete'),
      true,
    ),
  ).toContain('which is granted in part: Drydock is not able to repair and remove the latch of pools.')
  for (const latch of [[], missing('openshift-latch')])
    expect(poolLatchWords(latch, false)).toMatch(
      /^Pools are not held by pausing: Drydock may not patch them\. .* Letting go what is latched takes the write role as well/,
    )
  expect(poolLatchWords([], true)).not.toContain('write role')
})

test('permission for status but not for spec has its own sentence', () => {
  const [status] = missing('openshift-write', mc)
  expect(openShiftAccess([{ ...status!, statusOnly: true }]).at(-1)).toBe(
    'Drydock may change the status of machineconfigurations.operator.openshift.io but not the objects: to RBAC machineconfigurations/status is another resource, and what people decide is written to the object. Grant patch on machineconfigurations itself.',
  )
})

test('permission to change and not to read has its own sentence, and only then', () => {
  const unread = missing('openshift', mc)
  expect(openShiftAccess(unread).at(-1)).toContain(
    'Drydock may change machineconfigurations.operator.openshift.io but not read them.',
  )
  expect(openShiftAccess([...unread, ...missing('openshift-write', mc)]).join(' ')).not.toContain('may change')
  expect(openShiftAccess(missing('openshift', (m) => m.name === 'coreos-bootimages')).join(' ')).not.toContain(
    'may change',
  )
})
