import { LineCounter, parseAllDocuments, stringify } from 'yaml'
import type { PolicySpec } from '@/lib/domain/policies'
import { isObject } from '@/lib/domain/changes'

/** One policy of a pasted text, as it was written. */
export interface Written {
  line: number
  name: unknown
  spec: unknown
}

/** Policies as YAML, one document each: what is exported can be imported. */
export function policiesYaml(policies: readonly { name: string; spec: PolicySpec }[]): string {
  return policies.map(({ name, spec }) => stringify({ name, ...spec })).join('---\n')
}

/** The documents of a text with their lines, or what is wrong with one of them. Aliases are not followed without end. */
export function policiesIn(text: string): { written: Written[]; problems: { line: number; message: string }[] } {
  const written: Written[] = []
  const problems: { line: number; message: string }[] = []
  const lines = new LineCounter()
  const lineOf = (offset: number) => lines.linePos(offset).line
  for (const document of parseAllDocuments(text, { prettyErrors: false, uniqueKeys: true, lineCounter: lines })) {
    const line = lineOf(document.contents?.range?.[0] ?? document.range[0])
    const [error] = document.errors
    if (error) {
      problems.push({
        line: lineOf(error.pos[0]),
        message: `This is no YAML: ${error.message}.${quoted(error.message)}`,
      })
      continue
    }
    let value: unknown
    try {
      value = document.toJS({ maxAliasCount: 20 })
    } catch (failed) {
      const { message } = failed as Error
      problems.push({ line, message: `This is no YAML: ${message}.${quoted(message)}` })
      continue
    }
    if (value === null || value === undefined) continue
    if (!isObject(value))
      problems.push({ line, message: 'A policy is written as key: value, beginning with its name.' })
    else {
      const { name, ...spec } = value
      written.push({ line, name, spec })
    }
  }
  return { written, problems }
}

/** The most natural pattern is an alias for YAML. */
const quoted = (message: string): string =>
  /alias/i.test(message) ? " A pattern that begins with * has to be quoted: '*-prod'." : ''
