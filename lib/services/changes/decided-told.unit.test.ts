import { expect, test } from 'vitest'
import { heldText, type Decided } from './decided-told'
import type { MachineStory } from './machine-story'

const at = (n: number) => new Date(Date.UTC(2026, 10, 20, 12, n))
const decision = { recordedAt: at(1), voidedAt: at(3) } as Decided
const machine = (more: Partial<MachineStory>) =>
  ({ machineName: 'm', state: 'created', startedAt: at(2), finishedAt: at(2), illAt: null, ...more }) as MachineStory

test.each<[string, Partial<MachineStory>[], string]>([
  ['all of them', [{ readyAt: at(2) }], 'Machines that had begun were finished, the rest waited.'],
  [
    'all but a new one that came up later',
    [{ readyAt: at(2) }, { readyAt: at(9) }],
    'Machines that had begun were finished, but for a new one that was not Ready by then; the rest waited.',
  ],
  [
    'all but new ones that are coming up',
    [{ readyAt: null }, { readyAt: null }, { state: 'done', readyAt: null }],
    'Machines that had begun were finished, but for 2 new ones that were not Ready by then; the rest waited.',
  ],
])('of what is held, what had begun was finished: %s', (_what, machines, words) => {
  expect(heldText(decision, machines.map(machine), null, false)).toBe(`Held. ${words}`)
})

test.each<[string, Partial<MachineStory>[], string]>([
  [
    'that failed afterwards',
    [{ state: 'failed', finishedAt: at(9) }, { state: 'failed', finishedAt: at(2) }, { startedAt: null }],
    '1 machine that had begun went on, 1 failed, the rest waited.',
  ],
  [
    'that failed, of which nothing says when',
    [{ state: 'failed', finishedAt: null, failedAt: null }, { startedAt: null }],
    'The machine that had begun failed; the rest waited.',
  ],
  [
    'that is marked as failed afterwards',
    [{ state: 'failed', finishedAt: null, failedAt: at(9) }],
    '1 machine that had begun went on.',
  ],
  [
    'that came through after its failure was accepted',
    [{ state: 'done', finishedAt: at(9), throughAt: at(9), failedAt: at(2) }],
    'The machine that had begun failed.',
  ],
  ['that came through since', [{ state: 'done', finishedAt: at(9) }], '1 machine that had begun went on.'],
  [
    'that came through, and was deleted since',
    [{ state: 'deleted', throughAt: at(2), deletingAt: at(8), finishedAt: at(9) }],
    'Machines that had begun were finished, the rest waited.',
  ],
  ['that is gone since', [{ state: 'deleted', finishedAt: at(9) }], '1 machine that had begun went on.'],
])('what is held says what was so then, also of a machine %s', (_what, machines, words) => {
  expect(heldText(decision, machines.map(machine), null, false)).toBe(`Held. ${words}`)
})
