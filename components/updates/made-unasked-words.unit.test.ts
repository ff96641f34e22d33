import { expect, it } from 'vitest'
import { movedUnapproved } from './held-words'

it('what moved once its hold was taken away is told, also where one machine had been made while only the gate held it', () => {
  const at = '2026-11-21T16:00:00.000Z'
  const of = (name: string) => ({ name, state: 'ready', progress: { startedAt: at, state: 'created', finishedAt: at } })
  const change = {
    ...{ state: 'done', heldBy: 'none', groupKind: 'KubeadmControlPlane', decision: null, decisions: [] },
    ...{ letGoBefore: null, ended: null, heldWords: null },
    ...{ machinesList: ['b', 'c'].map(of), outcome: { updatedInPlace: 0, created: 2, deleted: 3, failed: 0 } },
  }
  const told = (letGoOutside: boolean) => movedUnapproved({ ...change, letGoOutside, madeUnasked: ['a'] } as never)
  expect(told(true)).toContain('its hold was taken away outside Drydock: 2 created, 3 deleted')
  expect(told(false)).toContain('which nobody let go (a)')
})
