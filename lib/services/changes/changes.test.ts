import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { withoutInPlace } from '@/testenv/manager-gates'
import { HELD, PAUSED } from '@/lib/domain/latch/names'
import { before } from '@/testenv/before'
import {
  as,
  annotations,
  audited,
  expectHeld,
  expectReleased,
  failure,
  inputFor,
  latchedCluster,
  recordedOnly,
  stateOf,
} from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { planeRows } from '@/testenv/plane'
import type { RevisionPair } from '@/lib/domain/changes'
import type { ServiceError } from '../errors'
import { keepLetGo } from '@/worker/planner/keep-let-go'
import { applyDecision } from './apply'
import { approveChange } from './approve-change'
import { changeSetOf } from './change-row'
import { getChange } from './get-change'
import { letGoOf } from './let-go'
import { DECISION } from './patch-for'
import { previewDecision } from './preview-decision'
import { rejectChange } from './reject-change'
import { nameToType } from './typed-name'

useTestDatabase()

const approver = as('approver')
const KCP = { group: 'controlplane.cluster.x-k8s.io', version: 'v1beta2', plural: 'kubeadmcontrolplanes' }
const at = latchedCluster()

describe('what is approved is what was looked at', () => {
  test('the calls that were shown are the calls that are made', async () => {
    const held = await at.held()
    const shown = await previewDecision(approver, { changeId: held.change.id, mode: 'replace' })
    expect(shown).toMatchObject({ fingerprint: held.change.fingerprint, needsTypedName: null })
    expect(shown.irreversible.join(' ')).toContain('1 machine will be deleted')
    expect(shown.irreversible.join(' ')).not.toContain('24 hours') // nobody is asked here
    expect(shown.irreversible.join(' ')).not.toContain('drain')
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'accepted', error: null, attempts: 1 })
    const named = JSON.parse(JSON.stringify(shown.calls).replace('(the id of the decision)', made.id)) as object[]
    expect(made.calls.map(({ method, path, contentType, body }) => ({ method, path, contentType, body }))).toEqual(
      named,
    )
    expect(made.answer).toMatch(/^stored as resourceVersion \d+$/)
    await expectReleased(held, made.id)
    expect(await audited(held)).toEqual(['change.approved ok', 'decision.accepted ok'])
  })

  test('it stays with the decision, without what only the page shows; what is rejected does not', async () => {
    const [held, rejected] = [await at.held(), await at.held()]
    const { id } = await approveChange(approver, inputFor(held))
    const { pairs } = await db().decision.findUniqueOrThrow({ where: { id } })
    const [{ from, fingerprint, changes }] = changeSetOf(held.change).pairs as [RevisionPair]
    const fields = changes.map(({ current: _, ...field }) => field)
    expect(fields).toContainEqual(expect.objectContaining({ path: 'version', desired: 'v1.34.1' }))
    expect(pairs).toMatchObject([{ from, fingerprint, changes: fields }])
    expect(JSON.stringify(pairs)).not.toMatch(/"(current|machines)"/)
    const { changeId } = inputFor(rejected)
    await rejectChange(approver, { changeId, fingerprint: rejected.change.fingerprint })
    expect(await db().decision.findFirstOrThrow({ where: { changeId } })).toMatchObject({ pairs: null })
  })

  test('another fingerprint is a conflict, and nothing is recorded', async () => {
    const held = await at.held()
    const refused = await failure(approveChange(approver, { ...inputFor(held), fingerprint: 'f'.repeat(64) }))
    expect(refused.code).toBe('conflict')
    expect(refused.message).toBe('The desired state changed while you were looking at it.')
    expect(await db().decision.count({ where: { changeId: held.change.id } })).toBe(0)
    expect(await audited(held)).toEqual([])
    await expectHeld(held)
  })

  test('a desired state that Drydock has not seen yet is not released by an approval of the one before', async () => {
    const held = await at.held()
    await held.bump('v1.34.2')
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    expect(made.error).toContain('changed since this was decided')
    expect(await stateOf(held)).toBe('waiting')
    expect(await audited(held)).toEqual(['change.approved ok', 'decision.failed failed'])
    await expectHeld(held)
  })

  test('fewer machines wanted than were shown: nothing is sent, as more would be deleted; more do not matter', async () => {
    const held = await at.held()
    const now = async () =>
      (await at.cluster.admin.get(MD, held.name, held.namespace)).spec as unknown as { replicas: number }
    const { replicas } = await now()
    const scale = (to: number) =>
      at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', { spec: { replicas: to } })
    const keep = (to: number) =>
      db().change.update({
        where: { id: held.change.id },
        data: { outlook: { ...(held.change.outlook as object), replicas: to } },
      })
    // Scaled down, and seen by Drydock while the sheet was open.
    await keep(replicas)
    const early = await failure(approveChange(approver, { ...inputFor(held), replicas: replicas + 3 }))
    expect(early).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Fewer machines are wanted') as string,
    })
    // Scaled down, and not seen yet.
    await keep(replicas + 3)
    const late = await approveChange(approver, { ...inputFor(held), replicas: replicas + 3 })
    expect(late).toMatchObject({ state: 'voided', calls: [] })
    expect(late.error).toContain(`wants fewer machines by now (${replicas}, and ${replicas + 3} when`)
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
    await keep(replicas)
    await scale(replicas + 1)
    expect(await approveChange(approver, { ...inputFor(held), replicas })).toMatchObject({ state: 'accepted' })
  })

  test('what no machine differs by, and was not there to be looked at, is not released with the rest', async () => {
    const worker = await at.held()
    const later = { spec: { rollout: { strategy: { type: 'OnDelete' } } } }
    await at.cluster.admin.patch(MD, worker.name, worker.namespace, 'merge', later)
    const control = await at.held('KubeadmControlPlane')
    const expiry = { spec: { rollout: { before: { certificatesExpiryDays: 30 } } } }
    await at.cluster.admin.patch(KCP, control.name, control.namespace, 'merge', expiry)
    for (const held of [worker, control]) {
      const made = await approveChange(approver, { ...inputFor(held), typedName: held.name })
      expect(made).toMatchObject({ state: 'voided', calls: [] })
      expect(made.error).toContain('changed since this was decided')
      await expectHeld(held)
    }
  })

  test('an object of the same name that is another one is left alone', async () => {
    const held = await at.held()
    await db().change.update({ where: { id: held.change.id }, data: { groupId: randomUUID() } })
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    expect(made.error).toContain('another object of the same name')
    await expectHeld(held)
  })

  test('a write that comes in between is read anew, and goes on only where it changed nothing that matters', async () => {
    const held = await at.held()
    const label = { metadata: { labels: { touched: 'yes' } } }
    await before(at.clusterId, 'patch', () => at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', label))
    const made = await approveChange(approver, inputFor(held))
    expect(made.calls.map((call) => call.code)).toEqual([409, 200])
    expect(made.state).toBe('accepted')
    await expectReleased(held, made.id)

    const other = await at.held()
    await before(at.clusterId, 'patch', () => other.bump('v1.34.3'))
    const voided = await approveChange(approver, inputFor(other))
    expect(voided.calls.map((call) => call.code)).toEqual([409])
    expect(voided.state).toBe('voided')
    await expectHeld(other)
  })

  test('a decision that is voided while it is being applied releases nothing', async () => {
    const held = await at.held()
    const voiding = () =>
      db().decision.updateMany({ where: { changeId: held.change.id }, data: { state: 'voided', claimedUntil: null } })
    await before(at.clusterId, 'get', voiding)
    const made = await approveChange(approver, inputFor(held))
    expect(made).toMatchObject({ state: 'voided', calls: [] })
    await expectHeld(held)
  })

  test('what the API server answered is on record, also where the decision was voided by then', async () => {
    const held = await at.held()
    await before(at.clusterId, 'patch', () =>
      db().decision.updateMany({ where: { changeId: held.change.id }, data: { state: 'voided', claimedUntil: null } }),
    )
    const made = await approveChange(approver, inputFor(held))
    expect(made.state).toBe('voided')
    const last = await db().auditEvent.findFirstOrThrow({
      where: { targetId: held.change.id },
      orderBy: { id: 'desc' },
    })
    expect(last).toMatchObject({ action: 'decision.accepted', answer: expect.stringMatching(/^stored as/) as string })
    expect(last.details).toMatchObject({ late: 'voided or taken over meanwhile' })
  })

  test('an approval that has expired releases nothing', async () => {
    const held = await at.held()
    const id = await recordedOnly(held, { expiresAt: new Date(Date.now() - 1_000) })
    await applyDecision(id, 'test')
    expect(await db().decision.findUniqueOrThrow({ where: { id } })).toMatchObject({
      state: 'voided',
      error: 'The approval has expired. Nothing was released: decide again.',
    })
    await expectHeld(held)
  })
})

describe('deciding', () => {
  test('two people at once: one decides, the other hears of it', async () => {
    const held = await at.held()
    const both = await Promise.allSettled([
      approveChange(as('approver', 'Ada'), inputFor(held)),
      approveChange(as('approver', 'Bo'), inputFor(held, 'in-place')),
      rejectChange(as('operator', 'Cy'), { changeId: held.change.id, fingerprint: held.change.fingerprint }),
    ])
    const lost = both.filter((r) => r.status === 'rejected').map((r) => r.reason as ServiceError)
    expect(lost.map((error) => error.code)).toEqual(expect.arrayContaining(['conflict']))
    for (const error of lost) expect(error.message).toMatch(/this change is (approved|rejected) by now/)
    const spoken = await db().decision.findMany({ where: { changeId: held.change.id, state: { not: 'voided' } } })
    expect(spoken).toHaveLength(1)
  })

  test('a rejected change stays held, says so on the object, and can be approved later', async () => {
    const held = await at.held()
    const { id: changeId, fingerprint } = held.change
    const no = await rejectChange(as('operator', 'Cy'), { changeId, fingerprint, reason: 'not on a Friday' })
    expect(no).toMatchObject({ mode: 'reject', state: 'accepted', reason: 'not on a Friday' })
    expect((await annotations(held))[HELD]).toBe('rejected by Cy: not on a Friday')
    await expectHeld(held)
    expect(await stateOf(held)).toBe('rejected')
    expect((await failure(rejectChange(as('operator'), { changeId, fingerprint }))).code).toBe('conflict')
    const yes = await approveChange(approver, inputFor(held))
    expect(yes.state).toBe('accepted')
    await expectReleased(held, yes.id)
    const { decisions, timeline } = await getChange(as('viewer'), { id: changeId })
    expect(decisions.map((d) => `${d.mode} ${d.state}`)).toEqual(['reject voided', 'replace accepted'])
    expect(timeline.map((entry) => entry.text)).toContain('Cy rejected: not on a Friday')
  })

  test('where the policy asks for a reason, there is none without', async () => {
    const held = await at.held()
    await db().policy.update({ where: { clusterId: at.clusterId }, data: { reasonNeeded: true } })
    try {
      const refused = await failure(approveChange(approver, { ...inputFor(held), reason: '  ' }))
      expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'reason' }] } })
      expect(await approveChange(approver, { ...inputFor(held), reason: 'patch day' })).toMatchObject({
        state: 'accepted',
        reason: 'patch day',
      })
    } finally {
      await db().policy.update({ where: { clusterId: at.clusterId }, data: { reasonNeeded: false } })
    }
  })

  test('what Cluster API may remember the other answer for is not approved: it would not ask', async () => {
    const held = await at.held()
    const { id: _, changeSet, outlook, outcome: __, ...same } = held.change
    const before = await db().change.create({
      data: {
        ...{
          ...same,
          wave: undefined,
          shape: undefined,
          state: 'superseded',
          finishedAt: new Date(Date.now() - 3_600_000),
        },
        ...{ changeSet: changeSet as object, outlook: outlook as object },
      },
    })
    const said = (mode: string, more: object) =>
      db().decision.create({
        data: { changeId: before.id, fingerprint: 'f', mode, actorId: 'a', actorName: 'Ada', state: 'voided', ...more },
      })
    await said('replace', {})
    const applied = await said('replace', { acceptedAt: new Date() })
    const refused = await failure(approveChange(approver, inputFor(held, 'in-place')))
    expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('remembers') as string })
    // Also where the cluster was connected anew meanwhile: the group's uid is the same.
    await db().change.update({
      where: { id: before.id },
      data: { cluster: { create: { name: 'before', server: '' } } },
    })
    expect((await failure(approveChange(approver, inputFor(held, 'in-place')))).message).toContain('remembers')
    // Sent, and never heard of again.
    await db().decision.update({ where: { id: applied.id }, data: { acceptedAt: null, sentAt: new Date() } })
    expect((await failure(approveChange(approver, inputFor(held, 'in-place')))).message).toContain('remembers')
    const yesterday = new Date(Date.now() - 25 * 3_600_000)
    const became = (data: object) => db().decision.update({ where: { id: applied.id }, data })
    // Failed is over as well; retried, it speaks again.
    expect((await became({ state: 'recorded' })).voidedAt).toBeNull()
    expect((await became({ state: 'failed' })).voidedAt).not.toBeNull()
    await became({ voidedAt: yesterday })
    expect((await approveChange(approver, inputFor(held, 'in-place'))).error).not.toContain('remembers')
  })

  test('managers that ask nobody go by no remembered answer: they replace', async () => {
    const held = await at.held()
    const { id: changeId, fingerprint } = held.change
    await db().decision.create({
      data: {
        ...{ changeId, fingerprint, mode: 'in-place', actorId: 'a', actorName: 'Ada', state: 'voided' },
        ...{ acceptedAt: new Date(), voidedAt: new Date() },
      },
    })
    expect((await failure(approveChange(approver, inputFor(held)))).message).toContain('approved in place before')
    // The other manager's gates say nothing about what this one remembers.
    const other = await withoutInPlace(at.cluster.admin, 'controlPlane')
    const refused = await failure(approveChange(approver, inputFor(held))).finally(other)
    expect(refused.message).toContain('approved in place before')
    const restore = await withoutInPlace(at.cluster.admin)
    expect(await approveChange(approver, inputFor(held)).finally(restore)).toMatchObject({ state: 'accepted' })
  })

  test('a dozen approvals at once do not wait for each other', async () => {
    const all = []
    for (let i = 0; i < 12; i++) all.push(await at.held())
    const made = await Promise.all(all.map((held) => approveChange(approver, inputFor(held))))
    expect(made.map(({ state }) => state)).toEqual(all.map(() => 'accepted'))
  })

  test('what a group was let go with before is over with the next release, and known again from its own object', async () => {
    const held = await at.held()
    const first = await held.read()
    expect(await letGoOf(held.change.clusterId, first.metadata.uid)).not.toBeNull()
    const made = await approveChange(approver, inputFor(held))
    expect(await letGoOf(held.change.clusterId, first.metadata.uid)).toBeNull()
    // A watch that lags behind shows what was before the release.
    await keepLetGo({ clusterId: held.change.clusterId, fence: 1n }, first, 'old')
    expect(await letGoOf(held.change.clusterId, first.metadata.uid)).toBeNull()
    const now = await held.read()
    expect(now.metadata.annotations).toMatchObject({ [DECISION]: made.id })
    await keepLetGo({ clusterId: held.change.clusterId, fence: 1n }, now, held.change.digest)
    expect(await letGoOf(held.change.clusterId, first.metadata.uid)).toBe(held.change.digest)
  })

  test('a person’s own pause is never taken away', async () => {
    const held = await at.held()
    const mine = { metadata: { annotations: { [PAUSED]: 'night shift' } } }
    await at.cluster.admin.patch(MD, held.name, held.namespace, 'merge', mine)
    const made = await approveChange(approver, inputFor(held))
    expect(made.state).toBe('accepted')
    const found = await annotations(held)
    expect(found[PAUSED]).toBe('night shift')
    expect(found).not.toHaveProperty([HELD])
  })

  test('a control plane is replaced only by somebody who typed its name', async () => {
    const held = await at.held('KubeadmControlPlane')
    expect(await previewDecision(approver, { changeId: held.change.id, mode: 'replace' })).toMatchObject({
      needsTypedName: held.name,
    })
    for (const typedName of [undefined, '', `${held.name} `]) {
      const refused = await failure(approveChange(approver, { ...inputFor(held), typedName }))
      expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    }
    expect(await db().decision.count({ where: { changeId: held.change.id } })).toBe(0)
    await expectHeld(held)
    const made = await approveChange(approver, { ...inputFor(held), typedName: held.name })
    expect(made.state).toBe('accepted')
    await expectReleased(held, made.id)
  })

  test('in place, too, the name is typed wherever a control plane machine is deleted, and nowhere else', async () => {
    const held = await at.held('KubeadmControlPlane')
    await planeRows(held, ['a', 'b', 'c'])
    const { id: changeId } = held.change
    const wish = inputFor(held, 'in-place')
    const deleting = async (deleted: number) => {
      const { outlook } = await db().change.findUniqueOrThrow({ where: { id: changeId } })
      const { inPlace, ...rest } = outlook as { inPlace: object }
      await db().change.update({
        where: { id: changeId },
        data: { outlook: { ...rest, inPlace: { ...inPlace, created: deleted, deleted } } },
      })
      return previewDecision(approver, { changeId, mode: 'in-place' })
    }
    expect((await deleting(0)).needsTypedName).toBeNull()
    expect((await deleting(1)).needsTypedName).toBe(held.name)
    const refused = await failure(approveChange(approver, wish))
    expect(refused).toMatchObject({ code: 'invalid', more: { fields: [{ field: 'typedName' }] } })
    expect(refused.message).toContain(held.name)
    expect(await db().decision.count({ where: { changeId } })).toBe(0)
    await expectHeld(held)
    // Asked for the name, it is the server's rule: past it, the rest of the rules decide.
    const named = await approveChange(approver, { ...wish, typedName: held.name }).catch((e: ServiceError) => e)
    expect(JSON.stringify(named)).not.toContain('typedName')
    const plain = (kind: string) => nameToType({ ...held.change, groupKind: kind }, 'in-place', [])
    expect([plain('MachineDeployment'), plain('KubeadmControlPlane')]).toEqual([null, null])
    expect(nameToType(held.change, 'reject', ['ill'])).toBeNull()
  })

  test('nothing is decided on a cluster that is being disconnected', async () => {
    const held = await at.held()
    await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'disconnected' } })
    try {
      expect(await failure(approveChange(approver, inputFor(held)))).toMatchObject({ code: 'conflict' })
      expect(await audited(held)).toEqual([])
    } finally {
      await db().managementCluster.update({ where: { id: at.clusterId }, data: { state: 'pending' } })
    }
    await expectHeld(held)
  })
})
