import { expect, test, vi } from 'vitest'
import { tellRefusedAnew } from './refused-anew'
import { KubeError, type KubeClient } from './types'

const POOLS = { group: 'machineconfiguration.openshift.io', version: 'v1', plural: 'machineconfigpools' }
const refusal = (message: string) => new KubeError(403, { kind: 'Status', code: 403, message }, 'PATCH /x')
const FORBIDDEN = 'machineconfigpools "worker" is forbidden: User "drydock" cannot patch resource "machineconfigpools"'
const BY_POLICY = `ValidatingAdmissionPolicy 'no-fridays' with binding 'b' denied request: no`

function world() {
  let [answer, told]: [Error | null, number] = [null, 0]
  const one = () => (answer ? Promise.reject(answer) : Promise.resolve({}))
  const client = { patch: one, pages: async function* () { yield await one() } } as unknown as KubeClient // prettier-ignore
  const wrapped = tellRefusedAnew(client, () => told++)
  const list = async () => {
    for await (const _page of wrapped.pages(POOLS, undefined)) break
  }
  const patch = (impersonate?: { user: string; groups: string[] }) =>
    wrapped.patch(POOLS, 'worker', undefined, 'merge', {}, { impersonate })
  return {
    answers: (error: Error | null) => (answer = error),
    patch: (as?: Parameters<typeof patch>[0]) => patch(as).catch(() => undefined),
    list: () => list().catch(() => undefined),
    told: () => told,
  }
}

test('a refusal for want of a permission is told once, and once more when the same is let through', async () => {
  const { answers, patch, list, told } = world()
  await patch()
  expect(told()).toBe(0)
  answers(refusal(FORBIDDEN))
  await patch()
  await patch()
  expect(told()).toBe(1)
  await list()
  await list()
  expect(told()).toBe(2)
  answers(null)
  await list()
  await patch()
  await patch()
  expect(told()).toBe(4)
})

test('what a rule refuses, and what is tried in somebody else’s name, tells nothing of what Drydock may do', async () => {
  const { answers, patch, told } = world()
  answers(refusal(BY_POLICY))
  await patch()
  answers(refusal(FORBIDDEN))
  await patch({ user: 'alice', groups: [] })
  expect(told()).toBe(0)
})

test('of many objects each is told once, however often they are asked in turn; what was not asked for an hour is told anew', async () => {
  vi.useFakeTimers()
  try {
    let told = 0
    const get = () => Promise.reject(refusal(FORBIDDEN))
    const wrapped = tellRefusedAnew({ get } as unknown as KubeClient, () => told++)
    const ask = (i: number) => wrapped.get(POOLS, `pool-${i}`).catch(() => undefined)
    const inTurn = async () => {
      for (let i = 0; i < 1_500; i++) await ask(i)
    }
    await inTurn()
    await inTurn()
    expect(told).toBe(1_500)
    vi.advanceTimersByTime(40 * 60_000)
    await ask(0)
    vi.advanceTimersByTime(40 * 60_000)
    await ask(0)
    expect(told).toBe(1_500)
    await ask(1)
    expect(told).toBe(1_501)
  } finally {
    vi.useRealTimers()
  }
})
