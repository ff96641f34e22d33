import next from 'eslint-config-next/core-web-vitals'
import nextTypescript from 'eslint-config-next/typescript'
import prettier from 'eslint-config-prettier'

/** Imports run one way: app, worker -> services -> domain; providers, kubernetes and db serve services and worker. */
const layer = (files, forbidden) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: forbidden.flatMap((f) => [`@/${f}`, `@/${f}/**`, `**/../${f}/**`]),
            message: 'Imports run one way, see ARCHITECTURE.md.',
          },
        ],
      },
    ],
  },
})

const above = ['app', 'components', 'worker', 'sandbox', 'bench', 'scripts', 'testenv', 'e2e']

// Rules of React take long, and there are no components elsewhere.
const react = ({ name, ...rules }) => (name === 'next' ? { ...rules, name, files: ['{app,components}/**'] } : rules)

const config = [
  ...next.map(react),
  ...nextTypescript,
  prettier,
  {
    ignores: [
      '.next*/**',
      'lib/db/generated/**',
      'node_modules/**',
      '.drydock*/**',
      'testenv/.*/**',
      'next-env.d.ts',
      'test-results/**',
      'playwright-report/**',
    ],
  },
  {
    files: ['**/*.{ts,tsx,mjs}'],
    rules: {
      'max-lines': ['error', { max: 400 }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': ['error', { allow: ['error'] }],
    },
  },
  {
    files: ['scripts/**', 'bench/**', 'testenv/**', 'sandbox/main.ts', 'examples/**', 'tools/**'],
    rules: { 'no-console': 'off' },
  },
  layer(
    ['lib/domain/**'],
    ['lib/auth', 'lib/db', 'lib/env', 'lib/kubernetes', 'lib/providers', 'lib/seal', 'lib/services', ...above],
  ),
  layer(['lib/kubernetes/**'], ['lib/auth', 'lib/db', 'lib/providers', 'lib/services', ...above]),
  layer(['lib/providers/**'], ['lib/auth', 'lib/db', 'lib/services', ...above]),
  layer(['lib/db/**'], ['lib/auth', 'lib/providers', 'lib/services', ...above]),
  layer(['lib/auth/**', 'lib/services/**'], above),
  layer(['app/**'], ['worker', 'sandbox', 'bench', 'scripts', 'testenv', 'lib/kubernetes', 'lib/providers']),
  layer(
    ['components/**'],
    ['app', 'worker', 'sandbox', 'bench', 'scripts', 'testenv', 'lib/kubernetes', 'lib/providers', 'lib/db'],
  ),
  layer(['worker/**'], ['app', 'components', 'sandbox', 'bench', 'scripts', 'testenv']),
  layer(
    ['sandbox/**'],
    ['app', 'components', 'worker', 'bench', 'scripts', 'testenv', 'lib/db', 'lib/services', 'lib/auth'],
  ),
  // Tests may bring up whatever they test against.
  {
    files: ['**/*.test.ts', '**/suite.ts', '**/suites/**'],
    rules: { 'no-restricted-imports': 'off', 'react-hooks/rules-of-hooks': 'off' },
  },
  // The sandbox as a cluster under test is built from the same manifests as the real one.
  { files: ['sandbox/test-cluster.ts', 'sandbox/**/*.test.ts'], rules: { 'no-restricted-imports': 'off' } },
]

export default config
