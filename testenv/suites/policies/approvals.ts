import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { withdrawApproval } from '@/lib/services/changes/withdraw-approval'
import { failure } from '../../deciding'
import { ada, bo, FROZEN, HOUR, person } from '../../timed'
import { writeAs } from '../as'
import { socket, version, type Group } from '../turning'
import { expectHeld } from '../watching'
import { NEW, NEXT, type Topic } from './policing'

const dan = person('dan')

/** Who has to approve, for how long that is good, and what ends it. */
export function approvalsTopic({ g, of, times }: Topic): void {
  const long = times.deadlineMs * 2
  const missing = (count: number) => ({ state: 'gathering', missing: count })
  const heldStill = async (group: Group) => {
    await g().staysAsItIs(group, times.watchMs)
    expectHeld(await g().read(group))
  }
  const writtenBy = async (manager: string, { w, name }: Group, to: string) => {
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${w.namespace}/machinedeployments/${name}`
    const body = { spec: { template: { spec: version(to) } } }
    const query = `?fieldManager=${encodeURIComponent(manager)}`
    const type = 'application/merge-patch+json'
    expect(await writeAs(g().cluster.adminKubeconfig, 'PATCH', path + query, body, type)).toMatchObject({ code: 200 })
  }

  test(
    'two, not the author, each with a reason: what one says lets nothing go, nor what was taken back',
    async () => {
      const group = of('two')
      const before = await g().members(group)
      await g().says([group], { approvals: 2, notTheAuthor: true, reasonRequired: true })
      await writtenBy('bo@example.com', group, NEW)
      const { id: changeId, author } = await g().approvable(group.w, group.name, 'in-place')
      expect(author).toBe('bo@example.com')
      const reason = 'CVE-2026-1'
      expect((await failure(g().approves(bo, group, { reason }))).code).toBe('forbidden')
      expect(await failure(g().approves(ada, group))).toMatchObject({ more: { fields: [{ field: 'reason' }] } })
      expect(await g().approves(ada, group, { reason })).toMatchObject(missing(1))
      await withdrawApproval(ada, { changeId })
      expect(await g().approves(dan, group, { reason })).toMatchObject(missing(1))
      await heldStill(group)
      expect(await g().approves(ada, group, { reason })).toMatchObject({ changeId, error: null })
      const { decisions } = await g().endsInPlace(group, before, NEW)
      expect(decisions).toMatchObject([
        { state: 'seen', policy: { approvals: [{ actorName: 'Dan' }, { actorName: 'Ada', reason }] } },
      ])
    },
    long,
  )

  test(
    'expired, it counts no more; what has begun does not expire',
    async () => {
      const group = of('expired')
      const before = await g().members(group)
      await g().says([group], { approvals: 2, expiresAfter: '1h' })
      await g().write(group, version(NEW))
      const { changeId } = await g().approves(ada, group)
      const [at, expiresAt] = [new Date(Date.now() - 2 * HOUR), new Date(Date.now() - HOUR)]
      const expires = () => db().approval.updateMany({ where: { changeId }, data: { at, expiresAt } })
      await expires()
      expect(await g().approves(bo, group)).toMatchObject(missing(1))
      await heldStill(group)
      expect(await g().approves(ada, group)).toMatchObject({ changeId, error: null })
      await expires()
      await g().endsInPlace(group, before, NEW)
    },
    long,
  )

  test(
    'approved for later: taken back, or of another desired state by then, it does not go when its time comes',
    async () => {
      const group = of('changed')
      const before = await g().members(group)
      const policy = await g().says([group], { approvals: 2, ...FROZEN })
      await g().write(group, version(NEW))
      await g().approves(ada, group)
      const waits = { ...missing(0), timing: { open: false, why: 'freeze' } }
      const { changeId, ...given } = await g().approves(bo, group)
      expect(given).toMatchObject(waits)
      await withdrawApproval(bo, { changeId })
      await policy.now({ approvals: 2 })
      await heldStill(group)
      await policy.now({ approvals: 2, ...FROZEN })
      expect(await g().approves(bo, group)).toMatchObject(waits)
      await g().write(group, version(NEXT))
      await policy.now({ approvals: 2 })
      const next = await g().change(group.w, group.name, ['waiting'], NEXT)
      expect(next).toMatchObject({ dueMode: null, decisions: [] })
      await heldStill(group)
      const stands = { changeId: { in: [changeId, next.id] }, endedAt: null }
      expect(await db().approval.count({ where: stands })).toBe(0)
      expect(await g().approves(ada, group, { to: NEXT })).toMatchObject(missing(1))
      expect(await g().approves(bo, group, { to: NEXT })).toMatchObject({ error: null, changeId: next.id })
      await g().endsInPlace(group, before, NEXT)
    },
    long,
  )

  test(
    'nobody is asked: what goes in place goes by itself, what is replaced only where that is what is wanted',
    async () => {
      const group = of('itself')
      const before = await g().members(group)
      const policy = await g().says([group], { approvals: 0 })
      await g().write(group, version(NEW))
      const itself = { state: 'seen', actorName: 'drydock policy' }
      expect((await g().endsInPlace(group, before, NEW)).decisions).toMatchObject([{ ...itself, mode: 'in-place' }])
      await g().write(group, version(NEXT), socket)
      await g().change(group.w, group.name, ['waiting'], NEXT)
      await g().uncovered(group)
      await heldStill(group)
      await policy.now({ approvals: 0, strategy: 'replace' })
      const done = await g().change(group.w, group.name, ['done'], NEXT)
      expect(done.outcome).toMatchObject({ updatedInPlace: 0, created: 2, deleted: 2 })
      expect(done.decisions).toMatchObject([{ ...itself, mode: 'replace' }])
    },
    long,
  )
}
