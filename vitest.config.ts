import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const shared = { isolate: false, setupFiles: ['testenv/between-files.ts'] }
const alias = { '@': import.meta.dirname, 'server-only': `${import.meta.dirname}/lib/db/testing/empty.ts` }

/**
 * What waits for machines (`*.sandbox.test.ts`: a few lines that run a suite of minutes) is spread among the others, which keep the
 * machine busy meanwhile. By their size vitest would have them run at the very end, where nothing else is left.
 */
class Spread extends BaseSequencer {
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

// unit: pure, no I/O. services: real Postgres, sandbox clusters. walks: the same, by chance and in minutes.
// cluster: a real kube-apiserver with the real managers.
export default defineConfig({
  resolve: { alias },
  test: {
    sequence: { sequencer: Spread },
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'unit',
          include: ['{lib,components,worker,sandbox,examples,testenv}/**/*.unit.test.ts'],
          // Others run beside them.
          testTimeout: process.env.CI ? 60_000 : 20_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'services',
          include: ['{lib,app,worker,sandbox,scripts,testenv,examples}/**/*.test.ts'],
          exclude: ['**/*.unit.test.ts', '**/*.cluster.test.ts', '**/*.walks.test.ts'],
          globalSetup: ['lib/db/testing/global-setup.ts'],
          testTimeout: process.env.CI ? 60_000 : 30_000,
          hookTimeout: 120_000,
          // Most of them wait for machines.
          maxWorkers: 5,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'walks',
          include: ['testenv/**/*.walks.test.ts'],
          globalSetup: ['lib/db/testing/global-setup.ts'],
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'cluster',
          include: ['{lib,worker,sandbox,testenv}/**/*.cluster.test.ts'],
          globalSetup: ['lib/db/testing/global-setup.ts', 'testenv/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 240_000,
          retry: process.env.CI ? 1 : 0,
          maxWorkers: 2,
        },
      },
    ],
  },
})
