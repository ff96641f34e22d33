import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogError, playLog, readLog } from './index'

const logOf = (name: string) => readFileSync(join(import.meta.dirname, 'testing', `${name}.test.log.golden`), 'utf8')
const REPLACED = logOf('one machine is replaced')
const IN_PLACE = logOf('one machine is updated in place')
const ON_DELETE = logOf('the user deletes the old machine')
const ALL = { REPLACED, IN_PLACE, ON_DELETE }

/** A log with one place changed, which must be there. */
function changed(log: string, from: string, to: string): string {
  expect(log).toContain(from)
  return log.replace(from, to)
}

describe('a log that says what our rules say', () => {
  it.each(Object.entries(ALL))('%s', (_, log) => {
    expect(playLog(log)).toBeUndefined()
  })
})

describe('a log that says one thing else', () => {
  it.each<[string, string, string, string, { line: number; log?: string; ours?: string }]>([
    [
      'a machine more than there can be',
      REPLACED,
      '(m2 created)',
      '(m2,m3 created)',
      {
        line: 18,
        log: '[MS controller] - ms2 scale up to 1/1 replicas (m2,m3 created)',
        ours: '[MS controller] - ms2 scale up to 1/1 replicas (m2 created)',
      },
    ],
    [
      'a reason',
      REPLACED,
      '2 available replicas > 1 minimum',
      '2 available replicas > 0 minimum',
      {
        line: 24,
        log: '        - Reason: 2 available replicas > 0 minimum available replicas',
        ours: '        - Reason: 2 available replicas > 1 minimum available replicas',
      },
    ],
    [
      'another count of available machines',
      IN_PLACE,
      'pool: pool: 1/1 replicas, 0 available',
      'pool: pool: 1/1 replicas, 1 available',
      {
        line: 22,
        log: '    pool: pool: 1/1 replicas, 1 available, 0 upToDate',
        ours: '    pool: pool: 1/1 replicas, 0 available, 0 upToDate',
      },
    ],
    [
      'a machine that is deleted instead of moved',
      IN_PLACE,
      '(m1 moved to ms2)',
      '(m1 deleted)',
      {
        line: 17,
        log: '[MS controller] - ms1 scale down to 0/0 replicas (m1 deleted)',
        ours: '[MS controller] - ms1 scale down to 0/0 replicas (m1 moved to ms2)',
      },
    ],
    [
      'a diff that says less',
      IN_PLACE,
      'replicas 1,in-place-updates.internal.cluster.x-k8s.io/acknowledged-move: m1',
      'replicas 1',
      {
        line: 27,
        log: '        - Diff: replicas 1',
        ours: '        - Diff: replicas 1,in-place-updates.internal.cluster.x-k8s.io/acknowledged-move: m1',
      },
    ],
    [
      'no change where there is one',
      ON_DELETE,
      '\n      - Updated old MachineSet ms1\n        - Diff: cluster.x-k8s.io/disable-machine-create: true',
      '',
      {
        line: 12,
        log: '    ms2: 0/0 replicas, 0 available, 0 upToDate ()',
        ours: '      - Updated old MachineSet ms1',
      },
    ],
    [
      'a user who deletes what is not there',
      ON_DELETE,
      'Deleting machine m1',
      'Deleting machine m9',
      {
        line: 17,
        log: '[User] Iteration 1, Deleting machine m9',
        ours: '(there is no Machine m9 now)',
      },
    ],
    [
      'an end that is too early',
      REPLACED,
      '[MD controller] Iteration 3, Reconcile pool\n',
      '',
      {
        line: 29,
        log: '[MD controller] - Result of rollout planner',
        ours: '(nobody runs after this, and the rollout is not over)',
      },
    ],
    [
      'more after the end',
      REPLACED,
      'ms2: 1/1 replicas, 1 available, 1 upToDate (m2)\n[Test] Final',
      'ms2: 1/1 replicas, 1 available, 1 upToDate (m2)\n[MD controller] Iteration 4, Reconcile pool\n[Test] Final',
      { line: 34, log: '[MD controller] Iteration 4, Reconcile pool', ours: '[Test] Final state' },
    ],
  ])('%s', (_, log, from, to, difference) => {
    expect(playLog(changed(log, from, to))).toEqual(difference)
  })

  it('a log that was cut off', () => {
    const cut = REPLACED.slice(0, REPLACED.indexOf('[MD controller] Iteration 2'))
    expect(playLog(cut)).toEqual({ line: 19, ours: '(nobody runs after this, and the rollout is not over)' })
  })

  /** Every line but the title: changed or left out, it is missed there or before. */
  it.each(Object.entries(ALL))('%s: no line can change or go unnoticed', (_, log) => {
    const lines = log.replace(/\n$/, '').split('\n')
    const found = (altered: string[]) => {
      try {
        return playLog(altered.join('\n'))?.line
      } catch (error) {
        if (error instanceof LogError) return error.line
        throw error
      }
    }
    for (let i = 1; i < lines.length; i++) {
      const differs = found(lines.with(i, `${lines[i]}!`))
      expect(differs, `line ${i + 1} changed`).toBeLessThanOrEqual(i + 1)
      expect(found(lines.toSpliced(i, 1)), `line ${i + 1} left out`).toBeDefined()
    }
  })
})

describe('reading', () => {
  it('takes the start, who runs when, and two answers from outside; nothing else', () => {
    const { start, events } = readLog(IN_PLACE)
    expect(start).toMatchObject({
      mode: 'harness',
      strategy: { type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 1 },
      canUpdate: new Set(['ms1']),
      deployment: { name: 'pool', replicas: 1, status: 1, available: 1, upToDate: 0 },
      lastNumber: 1,
    })
    expect(start.sets.map((set) => [set.name, set.wanted])).toEqual([['ms1', false]])
    expect(events.map((e) => (e.kind === 'deployment' ? e.kind : `${e.kind} ${e.name}`))).toEqual([
      'deployment',
      'set ms1',
      'set ms2',
      'deployment',
      'set ms2',
      'set ms2',
      'deployment',
    ])
    expect(readLog(ON_DELETE).start.sets.map((set) => set.wanted)).toEqual([false, true])
    expect(readLog(REPLACED).start.canUpdate).toEqual(new Set())
  })

  it.each([
    ['', 1],
    ['## a\n\n[Test] Initial state\nsomething', 4],
    [changed(REPLACED, 'MaxSurge=1', 'MaxSurge=one'), 6],
    [changed(REPLACED, '(m1)', 'm1'), 5],
  ])('says what is not a log (%#)', (text, line) => {
    expect(() => playLog(text)).toThrow(`line ${line} should be`)
  })
})
