import { afterEach, describe, expect, test, vi } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { KubeError, type KubeClient, type Status } from '@/lib/kubernetes/types'
import { MS, REVISION, takingBack } from '@/testenv/taking-back'

useTestDatabase()
const { at, view: plain, heldWith, viewOf, told, story } = takingBack()

afterEach(() => void vi.restoreAllMocks())

describe('machines that are taken back from a machine set', () => {
  test('what the API server refuses is told of', async () => {
    const held = await heldWith(1)
    const patch = vi.fn(() =>
      Promise.reject(new KubeError(403, { message: 'machinesets is forbidden' } as Status, 'PATCH')),
    )
    const { look } = await viewOf(held, { patch })
    await look()
    await look()
    expect(patch).toHaveBeenCalledOnce()
    expect(await told(held)).toBe(1)
    expect(await story(held)).toContain(
      `Not taken back, for the API server refuses that: machine set ${held.next} had been told of 1 machine that it had not made. It may come while the group is held.`,
    )
  })

  const failing =
    (plural: string, code: number, message: string, after = 0) =>
    async (real: KubeClient, calls = { n: 0 }): Promise<Partial<KubeClient>> => ({
      get: async (resource, ...rest) => {
        if (resource.plural === plural && ++calls.n > after && (code !== 500 || calls.n === after + 1))
          throw new KubeError(code, { kind: 'Status', code, message } as Status, 'GET')
        return real.get(resource, ...rest)
      },
    })

  test.each([1, 2])('a read that fails once, in look %i at its group, is no refusal: it is tried anew', async (n) => {
    const held = await heldWith(1)
    const { client } = await plain()
    const { look } = await viewOf(held, await failing('machinedeployments', 500, 'leader changed', n - 1)(client))
    await look()
    expect(await story(held)).not.toMatch(/taken back/i)
    await look()
    expect(await told(held)).toBe(0)
  })

  test('a group that goes in that moment is no refusal either', async () => {
    const held = await heldWith(1)
    const { client } = await plain()
    const { look } = await viewOf(held, await failing('machinedeployments', 404, 'not found', 1)(client))
    await look()
    expect(await story(held)).not.toMatch(/taken back/i)
  })

  test('what may not be read for it is told, once, and not asked for in each round', async () => {
    const held = await heldWith(1)
    const { client } = await plain()
    const calls = { n: 0 }
    const { look } = await viewOf(held, await failing('machinesets', 403, 'machinesets is forbidden')(client, calls))
    for (let i = 0; i < 3; i++) await look()
    expect(calls.n).toBe(1)
    expect(await story(held)).toContain('Not taken back, for the API server refuses that')
  })

  test('a read that goes on failing is told, once, and made in a while only', async () => {
    const held = await heldWith(1)
    const { client } = await plain()
    let n = 0
    let broken = true
    const message = 'conversion webhook for cluster.x-k8s.io/v1beta1, Kind=MachineSet failed'
    const get: KubeClient['get'] = (resource, ...rest) => {
      if (resource.plural !== 'machinesets' || !broken) return client.get(resource, ...rest)
      n++
      return Promise.reject(new KubeError(500, { kind: 'Status', code: 500, message } as Status, 'GET'))
    }
    const { look } = await viewOf(held, { get })
    const now = vi.spyOn(Date, 'now')
    const looks = async (...seconds: number[]) => {
      for (const s of seconds) {
        now.mockReturnValue(performance.timeOrigin + performance.now() + s * 1000)
        await look()
      }
    }
    await looks(0, 2)
    expect(await story(held)).not.toMatch(/taken back/i)
    await looks(20, 22, 24, 60)
    expect(n).toBe(4)
    const told = `Not taken back, for what that goes by cannot be read: machine set ${held.next} had been told of machines that it had not made. The API server says: ${message}. It may come while the group is held.`
    const lines = (await story(held)).split('\n')
    expect(lines.filter((line) => /taken back/i.test(line))).toEqual([told])
    broken = false
    await looks(100)
    now.mockRestore()
    expect(await story(held)).toContain('Taken back: machine set')
  })

  test('a write that the API server answered with an error of its own may have come through: that is told, once', async () => {
    const held = await heldWith(1)
    const patch = vi.fn(() =>
      Promise.reject(new KubeError(504, { message: 'Timeout: request did not complete' } as Status, 'PATCH')),
    )
    const { look } = await viewOf(held, { patch })
    const now = vi.spyOn(Date, 'now')
    for (const s of [0, 2, 40]) {
      now.mockReturnValue(performance.timeOrigin + performance.now() + s * 1000)
      await look()
    }
    now.mockRestore()
    expect(patch).toHaveBeenCalledTimes(2)
    const rows = await db().auditEvent.findMany({ where: { targetId: held.change.groupId }, orderBy: { id: 'asc' } })
    expect(rows.map(({ action, result }) => `${action} ${result}`).filter((row) => row.startsWith('scaling'))).toEqual([
      'scaling.take-back ok',
      'scaling.taken-back failed',
    ])
    expect(await story(held)).toContain(
      `Not known whether it is taken back: machine set ${held.next} had been told of 1 machine that it had not made. The API server says: Timeout: request did not complete. Drydock looks again.`,
    )
  })

  test('what a webhook kept the API server from storing is refused', async () => {
    const held = await heldWith(1)
    const message = 'Internal error occurred: failed calling webhook "x.example.com": connection refused'
    const patch = vi.fn(() => Promise.reject(new KubeError(500, { message } as Status, 'PATCH')))
    const { look } = await viewOf(held, { patch })
    await look()
    expect(await story(held)).toContain('Not taken back, for the API server refuses that')
  })

  test('of several that are refused each is told once', async () => {
    const held = await heldWith(2)
    const { metadata, spec, apiVersion, kind } = await at.cluster.admin.get(MS, held.next, held.namespace)
    const { namespace, labels, ownerReferences, annotations } = metadata
    const name = `${held.next}-b`
    const third = { namespace, labels, ownerReferences, name, annotations: { ...annotations, [REVISION]: '3' } }
    await at.cluster.admin.create(MS, { apiVersion, kind, spec, metadata: third } as never, held.namespace)
    const patch: KubeClient['patch'] = (_, of) =>
      Promise.reject(new KubeError(403, { message: `machinesets "${of}" is forbidden` } as Status, 'PATCH'))
    const { look } = await viewOf(held, { patch })
    const now = vi.spyOn(Date, 'now')
    for (let i = 0; i < 4; i++) {
      now.mockReturnValue(performance.timeOrigin + performance.now() + i * 31_000)
      await look()
    }
    now.mockRestore()
    const rows = await db().auditEvent.findMany({ where: { targetId: held.change.groupId, result: 'refused' } })
    expect(rows.map(({ reason }) => reason?.split(' ')[2]).sort()).toEqual([held.next, name])
  })

  test('what others write to all the time is no refusal: it is tried anew, in a moment', async () => {
    const held = await heldWith(1)
    const changed = new KubeError(409, { message: 'the object has been modified' } as Status, 'PATCH')
    let tries = 0
    const real = (await plain()).client
    const patch: KubeClient['patch'] = async (...args) => {
      if (++tries > 5) return real.patch(...args)
      const annotations = { busy: String(tries) }
      await at.cluster.admin.patch(MS, held.next, held.namespace, 'merge', { metadata: { annotations } })
      throw changed
    }
    const { look } = await viewOf(held, { patch })
    await look()
    await look()
    expect(tries).toBe(5)
    expect(await story(held)).not.toMatch(/taken back/i)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000)
    await look()
    now.mockRestore()
    expect(await told(held)).toBe(0)
  })

  test('a conflict over what nobody has written to is a refusal, which is told of once', async () => {
    const held = await heldWith(1)
    const patch = vi.fn(() =>
      Promise.reject(new KubeError(409, { message: 'exceeded quota, try again' } as Status, 'PATCH')),
    )
    const { look } = await viewOf(held, { patch })
    await look()
    await look()
    expect(patch).toHaveBeenCalledOnce()
    expect(await story(held)).toContain('Not taken back, for the API server refuses that')
  })
})
