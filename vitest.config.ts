import { defineConfig } from 'vitest/config'
import { Spread } from './testenv/sequence'

const shared = { isolate: false, setupFiles: ['testenv/between-files.ts'] }
const alias = { '@': import.meta.dirname, 'server-only': `${import.meta.dirname}/lib/db/testing/empty.ts` }

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
          maxWorkers: 4,
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
