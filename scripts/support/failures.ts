/** What failed, in a line and its error's first lines each: said once more at the very end, where a log is read first. */
export interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[]
  }[]
}

interface Suite {
  suites?: Suite[]
  specs?: {
    ok: boolean
    title: string
    file: string
    line: number
    tests: { projectName: string; status: string; results: { error?: { message?: string } }[] }[]
  }[]
}

export interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number }
  suites: Suite[]
  errors: { message?: string }[]
}

const LINES = 12
const COLOURS = /\x1b\[[0-9;]*m/g

const words = (title: string, message: string | undefined): string => {
  const lines = (message ?? '')
    .replace(COLOURS, '')
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
  return [`✗ ${title}`, ...lines.slice(0, LINES).map((line) => `    ${line}`)].join('\n')
}

/** A file that could not even be read, or whose set-up failed, counts no failed test: its own message is given. */
export function vitestFailures({ testResults }: VitestReport, more = ''): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [words(name + more, message)]
    return failed.map((test) => words(`${name} › ${test.fullName}${more}`, test.failureMessages?.join('\n')))
  })
}

export const failedFiles = ({ testResults }: VitestReport): string[] =>
  testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)

export const testsPassed = ({ testResults }: VitestReport, files: readonly string[]): number =>
  testResults
    .filter(({ name }) => files.includes(name))
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === 'passed').length

/** With those that passed only when they were repeated: they count as passed, and are worth a look. */
export function playwrightFailures({ suites, errors }: PlaywrightReport): string[] {
  const specs = (suite: Suite): NonNullable<Suite['specs']> => [
    ...(suite.specs ?? []),
    ...(suite.suites ?? []).flatMap(specs),
  ]
  const failed = suites.flatMap(specs).flatMap(({ file, line, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName, status, results }) => {
        const again = status === 'flaky' ? ' (passed when repeated)' : ''
        const message = results.find(({ error }) => error)?.error?.message
        return words(`[${projectName}] ${file}:${line} › ${title}${again}`, message)
      }),
  )
  return [...errors.map(({ message }) => words('the browser tests', message)), ...failed]
}
