import { describe, expect, it } from 'vitest'
import { unaskedWords } from './unasked-words'

type Of = Parameters<typeof unaskedWords>[0]
const REPLACE = { counts: {}, created: 0, deleted: 0, headline: '' }
const machine = (state: string) => ({ progress: { state } })
const change = (part: object = {}): Of =>
  ({
    ...{ state: 'waiting', unasked: 'off', dueMode: null, outcome: null, machinesList: [] },
    outlook: { inPlace: null, whyNotInPlace: 'In-place updates are off.', replace: REPLACE, uncovered: [] },
    policy: { problem: 'x', hint: null },
    ...part,
  }) as unknown as Of
const forbidding = { rules: {}, ways: { replace: { forbidden: 'In place only.' } } }

describe('what was on its way in place, and is stopped', () => {
  it('says what happened, what holds, and what to do', () => {
    const outcome = { updatedInPlace: 2, created: 0, deleted: 0, failed: 0 }
    expect(unaskedWords(change({ outcome, machinesList: [machine('done'), machine('updating')] }))).toEqual({
      happened: 'It was let go in place, and in the middle of it in-place updates were switched off.',
      now:
        'Cluster API would have replaced the rest without asking, so Drydock holds the group again. 2 machines are updated in place. ' +
        '1 machine is in the middle of an update: it stays as it is until Cluster API calls the update gate again. Nothing else begins.',
      next:
        'To go on in place, switch the feature gate InPlaceUpdates on again in the managers of Cluster API, and approve it anew. ' +
        'Or approve replacing what is left.',
    })
  })
  it('offers no replacing that its policy does not allow', () => {
    expect(unaskedWords(change({ policy: forbidding, unasked: 'gone' }))?.next).toBe(
      'To go on in place, register the update gate again, on the page of the management cluster, and approve it anew.',
    )
  })
  it('says when it is possible again', () => {
    const outlook = { inPlace: REPLACE, replace: REPLACE, uncovered: [] }
    expect(unaskedWords(change({ outlook }))?.next).toMatch(/^By now it can be done in place again/)
  })
  it('is nothing to say where it is not so', () => {
    expect(unaskedWords(change({ unasked: null }))).toBeNull()
    expect(unaskedWords(change({ state: 'running' }))).toBeNull()
  })
})

it('what is approved in place, waits for its time, and cannot be, does not go replacing', () => {
  const told = unaskedWords(change({ unasked: null, dueMode: 'in-place' }))
  expect(told?.happened).toBe('It is approved in place, and cannot be done so now.')
  expect(told?.now).toBe(
    'In-place updates are off. The group stays held: an approval in place lets nothing be replaced.',
  )
  expect(told?.next).toContain('Or approve replacing.')
  const at = (open: boolean) => ({ ...forbidding, listed: { timing: { open } } })
  const next = (open: boolean) => unaskedWords(change({ unasked: null, dueMode: 'in-place', policy: at(open) }))?.next
  expect(next(false)).toBe('Where it can be done in place again, it goes as approved when its time has come.')
  // Somebody had it not wait: its time counts no more.
  expect(next(true)).toBe('Where it can be done in place again, it goes as approved.')
})
