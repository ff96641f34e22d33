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

  it.each(logs)('%s: no number of what was decided can be another one, and nothing of it can be missing', (_, log) => {
    const lines = log.trimEnd().split('\n')
    for (const at of decided(lines)) {
      const other = changed(lines[at]!, at)
      if (other) expect(differs(lines.with(at, other)), `line ${at + 1} as ${other}`).toBeGreaterThan(0)
      expect(differs(lines.toSpliced(at, 1)), `line ${at + 1} left out`).toBeGreaterThan(0)
    }
  })

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
