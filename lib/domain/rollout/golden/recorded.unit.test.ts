import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogError, playLog } from './index'

const folder = join(import.meta.dirname, 'testing', 'recorded')
const logs = readdirSync(folder)
  .filter((name) => name.endsWith('.test.log.golden'))
  .map((name) => [name.replace('.test.log.golden', ''), readFileSync(join(folder, name), 'utf8')] as const)

/** The line of the first difference; 0 where there is none. */
function differs(lines: readonly string[]): number {
  try {
    return playLog(lines.join('\n'))?.line ?? 0
  } catch (error) {
    if (error instanceof LogError) return error.line
    throw error
  }
}

/** The lines that say what a manager did, with their places. */
function decided(lines: readonly string[]): number[] {
  let inside = false
  return lines.flatMap((line, at) => {
    if (line.startsWith('[')) inside = line.startsWith('[MD controller]') || line.startsWith('[MS controller]')
    return inside ? [at] : []
  })
}

/** The line with one of its numbers one higher: which one, the place of the line decides. Names of annotations have none. */
function changed(line: string, at: number): string | undefined {
  const numbers = [...line.matchAll(/(?<!k)\d+(?!s\.io)/g)]
  const number = numbers[at % numbers.length]
  if (!number) return undefined
  const { 0: digits, index } = number
  return line.slice(0, index) + (Number(digits) + 1) + line.slice(index + digits.length)
}

describe('what real managers decided, by our rules', () => {
  it('is there', () => {
    expect(logs.length).toBeGreaterThan(15)
  })

  it.each(logs)('%s', (_, log) => {
    expect(playLog(log)).toBeUndefined()
  })

  /** Every third line, which third by the place of the log: all of them would take as long as all other tests of rules. */
  const third = (name: string) => logs.findIndex(([own]) => own === name) % 3

  it.each(logs)(
    '%s: no number of what was decided can be another one, and nothing of it can be missing',
    (name, log) => {
      const lines = log.trimEnd().split('\n')
      for (const at of decided(lines).filter((place) => place % 3 === third(name))) {
        const other = changed(lines[at]!, at)
        if (other) expect(differs(lines.with(at, other)), `line ${at + 1} as ${other}`).toBeGreaterThan(0)
        else expect(differs(lines.toSpliced(at, 1)), `line ${at + 1} left out`).toBeGreaterThan(0)
      }
    },
  )

  it.each(logs)('%s: no MachineSet can have been observed otherwise', (_, log) => {
    const lines = log.trimEnd().split('\n')
    let observed = false
    for (const [at, line] of lines.entries()) {
      if (line.startsWith('[')) observed = line === '[Test] Observed state'
      if (!observed || !/^ {4}ms\d+: /.test(line)) continue
      const other = changed(line, at)!
      expect(differs(lines.with(at, other)), `line ${at + 1} as ${other}`).toBeGreaterThan(0)
    }
  })
})

describe('a recorded log', () => {
  const IN_PLACE = logs.find(([name]) => name === 'Updated in place 3 replicas maxSurge 0 maxUnavailable 1')![1]
  const lineOf = (text: string, log = IN_PLACE) => log.split('\n').indexOf(text) + 1

  function changed(from: string, to: string): string {
    expect(IN_PLACE).toContain(from)
    return IN_PLACE.replace(from, to)
  }

  it('differs where the rules would have moved other machines, and says the line', () => {
    const [, line] = /\n(\[MS controller\] - ms1 scale down to 2 replicas by moving 1 Machines to ms2 .*)\n/.exec(
      IN_PLACE,
    )!
    const other = line!.replace(/m\d+ moved/, 'm9 moved')
    expect(playLog(changed(line!, other))).toEqual({ line: lineOf(line!), log: other, ours: line })
  })

  it('differs where something is left to do at the end', () => {
    const final = '[Test] Final state\n    md: 3/'
    const difference = playLog(changed(`${final}3 replicas`, `${final}4 replicas`))
    expect(difference?.line).toBe(IN_PLACE.trimEnd().split('\n').length + 1)
    expect(difference?.ours).toMatch(/^\[MD controller\] Iteration \d+, Reconcile md$/)
  })

  it('differs where an updater would have been of use, and was not asked', () => {
    const without = IN_PLACE.replaceAll('      - Can be updated in place\n', '')
    expect(playLog(without)?.log).toContain('should scale down by moving Machines to MachineSet ms2')
  })

  it.each([
    ['    ms1: 2/2', '    ms2: 2/2', 'a MachineSet that is not listed yet'],
    ['      - Template as wanted', '      - Template of the day', 'something that is said of a MachineSet'],
    ['- Annotations: machine', '- Annotations: x-machine', '"Annotations: " and those that steer a rollout'],
    ['replicas, Random first', 'replicas, Alphabet first', 'a MachineSet, "ms1: 2 of 3 replicas, Random first"'],
    [' s\n[MS controller]', ' years\n[MS controller]', 'a machine with its age, "m1: 30 s"'],
    ['[Test] Rollout', '[Test] Rolling', 'after a line "[Test] Rollout … replicas, …"'],
    ['MaxSurge=0', 'MaxSurge=none', 'a MachineSet with its counts, or "[Test] Rollout … replicas, …"'],
  ])('says what it cannot read: %j as %j', (from, to, should) => {
    expect(() => playLog(changed(from, to))).toThrow(`should be ${should}`)
  })
})
