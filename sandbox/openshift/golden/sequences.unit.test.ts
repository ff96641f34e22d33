import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NAMES_CRASH } from './compare'
import { playTable } from './index'
import { playSequenceStep, WRITTEN_BACK, type RecordedEvent, type SequenceStep } from './sequences'

const text = readFileSync(join(import.meta.dirname, 'tables', 'boot-image-sequences.json'), 'utf8')
const { steps } = JSON.parse(text) as { steps: SequenceStep[] }
const flip = (value: string) => (value === 'True' ? 'False' : 'True')

/** The difference in a step of which one event is another. */
const changed = (k: number, i: number, change: (event: RecordedEvent, step: SequenceStep) => unknown) => {
  const step = structuredClone(steps[k]!)
  if (!change(step.events[i]!, step)) return 'no such event'
  return playSequenceStep(step, [...steps.slice(0, k), step]).difference
}
const places = steps.slice(0, 17).flatMap((step, k) => step.events.slice(0, 14).map((_, i) => [k, i] as const))

describe('a recorded course of boot image updates, by the rules of the sandbox’s controllers', () => {
  it('is what they would write, but for two places', async () => {
    const played = await playTable('boot-image-sequences.json', text)
    expect(played).toHaveLength(21)
    expect(played.filter((p) => p.difference)).toEqual([])
    expect(played.filter((p) => p.exceptions.length).map((p) => [p.id.split(' ')[0], p.exceptions])).toEqual([
      ['9', [WRITTEN_BACK]],
      ['16', [NAMES_CRASH]],
    ])
  })

  it.each<[string, (event: RecordedEvent) => unknown]>([
    [
      'a status of Progressing',
      ({ machineConfiguration: c }) => c?.progressing && (c.progressing.status = flip(c.progressing.status)),
    ],
    [
      'a count',
      ({ machineConfiguration: c }) =>
        c?.progressing && (c.progressing.message = c.progressing.message.replace(/\d+/, (n) => `${+n + 1}`)),
    ],
    [
      'a number of sets',
      ({ machineConfiguration: c }) =>
        c?.progressing && (c.progressing.message = c.progressing.message.replace(/of \d+/, 'of 99')),
    ],
    ['what began the pass', ({ machineConfiguration: c }) => c?.progressing && (c.progressing.reason = 'Another')],
    [
      'a status of Degraded',
      ({ machineConfiguration: c }) => c?.degraded && (c.degraded.status = flip(c.degraded.status)),
    ],
    [
      'a number of failures',
      ({ machineConfiguration: c }) => c?.degraded && (c.degraded.message = c.degraded.message.replace(/\d+/, '9')),
    ],
    [
      'what was recorded',
      ({ machineConfiguration: c }) => c?.skew?.automatic && (c.skew.automatic = { ocpVersion: '4.1.1' }),
    ],
    ['whether updates are open', ({ upgradeable: u }) => u && (u.status = flip(u.status))],
    ['why', ({ upgradeable: u }) => u && (u.message += '!')],
    ['the operator’s own error', (event) => event.operatorSyncError && (event.operatorSyncError += '!')],
  ])('differs where %s is another', (_, change) => {
    for (const [k, i] of places) expect([k, i, changed(k, i, change)]).not.toEqual([k, i, undefined])
  })

  it('differs where a write of a pass is missing, or comes twice', () => {
    for (const [k, i] of places) {
      const event = steps[k]!.events[i]!.machineConfiguration
      if (!(event?.progressing ?? event?.degraded) || i === steps[k]!.events.length - 1) continue
      const gone = changed(k, i, (_, step) => step.events.splice(i, 1))
      // What the pass before had said need not be said again, and where a set failed, it may have been another one.
      const open = i < 2 || steps[k]!.events.some((e) => e.machineConfiguration?.degraded?.status === 'True')
      if (!open) expect([k, i, gone]).not.toEqual([k, i, undefined])
      expect([k, i, changed(k, i, (e, step) => step.events.splice(i, 0, e))]).not.toEqual([k, i, undefined])
    }
  })

  it('differs where the operator says nothing of what follows', () => {
    const [k, i] = places.find(([s, e]) => steps[s]!.events[e]!.upgradeable && e > 8)!
    expect(changed(k, i, (_, step) => step.events.splice(i, 1))).toMatchObject({
      at: expect.stringContaining('upgradeable after') as string,
    })
  })

  it('differs where a set is written to that keeps being put back, and where one is refused too early', () => {
    const k = steps.findIndex((s) => s.step === '12.3')
    const late = steps[k]!.events.findIndex((e) =>
      e.machineConfiguration?.progressing?.message.includes('Reconciled 1 of'),
    )
    expect(
      changed(k, late, (_, step) => step.events.splice(late + 1, 0, { t: 0.2, machineSetPatched: 'b-old gen 9' })),
    ).toMatchObject({
      at: 'machineSetPatched',
    })
    const end = steps[k]!.events.findIndex((e) => e.machineConfiguration?.degraded?.status === 'True')
    const early = changed(
      k,
      end,
      ({ machineConfiguration: c }) => (c!.degraded!.message = c!.degraded!.message.replaceAll('b-old', 'a-current')),
    )
    expect(early).toMatchObject({ at: 'degraded' })
  })

  it('differs where a step is none', async () => {
    const played = await playTable(
      'boot-image-sequences.json',
      JSON.stringify({ steps: [{}, { step: 'x', events: [3] }, steps[0]] }),
    )
    expect(played.map((p) => !p.difference)).toEqual([false, false, true])
  })
})
