import { beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Capabilities } from '@/lib/domain/capabilities'
import { getCluster } from '../clusters/get-cluster'
import type { Ctx } from '../context'
import { checkLatch } from './check-latch'
import { installLatch } from './install-latch'
import { previewLatch } from './preview-latch'
import { removeLatch } from './remove-latch'
import { repairLatch } from './repair-latch'
import { setGovernance } from './set-governance'
import { writeStatus, writeUnknown } from './inspect'

const as = (role: Ctx['actor']['role']): Ctx => ({ actor: { kind: 'user', id: 'u', name: 'Ada', role } })
const capabilities: Capabilities = {
  kubernetes: 'v1.36.3',
  clusterApi: { version: 'v1.14.0', apiVersion: 'v1beta2', served: ['v1beta2'], contracts: ['v1beta2'] },
  providers: [],
  openshift: null,
  gates: { inPlaceUpdates: { state: 'on', how: '' }, runtimeSdk: { state: 'on', how: '' } },
  latch: { policy: 'v1', webhook: true, guard: true },
  resources: {},
  missingPermissions: [],
  identity: { username: 'system:serviceaccount:drydock:drydock', groups: [] },
}

describe('the latch’s verbs', () => {
  useTestDatabase()
  let clusterId: string
  const discovered = async (change: Partial<Capabilities>) => {
    const discovery = { ...capabilities, ...change } as unknown as Prisma.InputJsonValue
    await db().managementCluster.update({ where: { id: clusterId }, data: { discovery } })
  }

  beforeAll(async () => {
    const discovery = capabilities as unknown as Prisma.InputJsonValue
    const identity = capabilities.identity.username
    const data = { name: 'c', server: 'https://127.0.0.1:1', identity, discovery, policy: { create: {} } }
    clusterId = (await db().managementCluster.create({ data })).id
  })

  test.each([installLatch, repairLatch, removeLatch, setGovernance])('%o needs an administrator', async (verb) => {
    for (const role of ['viewer', 'operator', 'approver'] as const) {
      await expect(verb(as(role), { clusterId, governs: 'all' })).rejects.toMatchObject({ code: 'forbidden' })
    }
  })

  test('a viewer may preview: the guard names Drydock’s identity and the break-glass group', async () => {
    const { yaml, form, strength } = await previewLatch(as('viewer'), {
      clusterId,
      governs: 'all',
      breakGlass: 'night-shift',
    })
    expect(form).toBe('policy-v1')
    expect(yaml).toContain('system:serviceaccount:drydock:drydock')
    expect(yaml).toContain('night-shift')
    expect(strength.join(' ')).toContain('night-shift')
  })

  test.each([
    [{ governs: 'namespace-label' }, 'labelKey'],
    [{ governs: 'namespace-label', labelKey: 'not a key' }, 'labelKey'],
    [{ governs: 'some' }, 'governs'],
    [{ governs: 'all', breakGlass: 'system:authenticated' }, 'breakGlass'],
    [{ governs: 'all', breakGlass: '' }, 'breakGlass'],
  ])('%j is refused with a sentence at its field', async (input, field) => {
    const problem = { code: 'invalid', more: { fields: [expect.objectContaining({ field }) as object] } }
    await expect(setGovernance(as('admin'), { clusterId, ...input })).rejects.toMatchObject(problem)
  })

  test('governance is kept on the policy row and audited; the label goes where it is not used', async () => {
    await setGovernance(as('admin'), { clusterId, governs: 'namespace-label', labelKey: 'team/x', labelValue: '' })
    const policy = () => db().policy.findUniqueOrThrow({ where: { clusterId } })
    expect(await policy()).toMatchObject({ governs: 'namespace-label', labelKey: 'team/x', labelValue: null })
    await setGovernance(as('admin'), { clusterId, governs: 'all', labelKey: 'team/x' })
    expect(await policy()).toMatchObject({ governs: 'all', labelKey: null, version: 3 })
    expect(await db().auditEvent.count({ where: { action: 'policy.changed' } })).toBe(2)
  })

  test('what somebody else chose to be governed since it was looked at is not written over', async () => {
    const input = async () => {
      const { governs, labelKey, labelValue, version } = (await getCluster(as('viewer'), { clusterId })).policy
      return { clusterId, governs, labelKey, labelValue, version }
    }
    const shown = await input()
    await setGovernance(as('admin'), { ...shown, governs: 'object-label', labelKey: 'team/x' })
    const message = 'What is governed in c was changed while you were looking at it.'
    for (const verb of [setGovernance, installLatch])
      await expect(verb(as('admin'), { ...shown, breakGlass: 'others' })).rejects.toMatchObject({
        ...{ code: 'conflict', message },
      })
    expect(await input()).toMatchObject({ governs: 'object-label', labelKey: 'team/x' })
    await setGovernance(as('admin'), { ...(await input()), governs: shown.governs })
    expect(await input()).toMatchObject({ governs: shown.governs })
  })

  test('an API server without policies and webhook conditions is watched, with nothing installed, and what that is worth', async () => {
    await discovered({ latch: { policy: null, webhook: false, guard: false } })
    const watched = await previewLatch(as('viewer'), { clusterId, governs: 'all' })
    expect(watched).toMatchObject({
      ...{ form: 'watch', objects: [], yaml: '' },
      why: expect.stringContaining('older than Kubernetes 1.30') as string,
    })
    const said = watched.strength.join(' ')
    for (const words of [
      /after it was stored/,
      /no worker of Drydock runs/,
      /no guard/,
      /dry run/,
      /1\.30/,
      /MachinePools/,
    ])
      expect(said).toMatch(words)
    expect(said).not.toContain('in that same write')
    await discovered({ latch: { policy: null, webhook: true, guard: true } })
    await expect(
      previewLatch(as('viewer'), { clusterId, governs: 'all', webhookUrl: 'http://x/latch' }),
    ).rejects.toMatchObject({ code: 'invalid' })
    await expect(previewLatch(as('viewer'), { clusterId, governs: 'all' })).rejects.toMatchObject({
      ...{ code: 'conflict', message: 'The update gate has no certificate authority yet.' },
    })
    await discovered({ clusterApi: null })
    await expect(previewLatch(as('viewer'), { clusterId })).rejects.toMatchObject({ code: 'invalid' })
    await discovered({})
  })

  test('without credentials nothing is installed or recorded', async () => {
    await expect(installLatch(as('admin'), { clusterId, governs: 'all' })).rejects.toBeDefined()
    expect(await db().managementCluster.findUnique({ where: { id: clusterId } })).toMatchObject({ latchForm: 'none' })
    expect(await db().auditEvent.count({ where: { action: { startsWith: 'latch.' } } })).toBe(0)
    await expect(checkLatch(as('viewer'), { clusterId })).rejects.toBeDefined()
  })

  test('a cluster that cannot be asked is not shown as latched', async () => {
    await db().managementCluster.update({ where: { id: clusterId }, data: { latchForm: 'policy' } })
    await writeUnknown(clusterId, 'connection refused')
    const { latchStatus } = await db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
    expect(latchStatus).toMatchObject({
      state: 'unknown',
      message: expect.stringContaining('connection refused') as string,
    })
  })

  test('what was disconnected meanwhile is not said to be unchecked', async () => {
    const where = { id: clusterId }
    const left = { latchForm: 'policy', state: 'disconnected', latchStatus: Prisma.DbNull }
    await db().managementCluster.update({ where, data: left })
    expect(await writeUnknown(clusterId, 'This management cluster is not connected.')).toBe(false)
    // A look that ends only now.
    await writeStatus(clusterId, { state: 'intact', message: 'In place.', findings: [], proved: true })
    expect(await db().managementCluster.findUnique({ where })).toMatchObject({ latchStatus: null })
  })
})
