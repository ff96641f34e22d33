import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What waits for machines (`*.sandbox.test.ts`: a few lines that run a suite of minutes) is spread among the others, which keep the
 * machine busy meanwhile. By their size vitest would have them run at the very end, where nothing else is left.
 */
export class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waiting = sorted.filter(isWaiting)
    const others = sorted.filter((file) => !isWaiting(file))
    const between = Math.floor(others.length / (waiting.length + 1))
    return waiting
      .flatMap((file, i) => [file, ...others.slice(i * between, (i + 1) * between)])
      .concat(others.slice(waiting.length * between))
  }
}

const isWaiting = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('.sandbox.test.ts')
