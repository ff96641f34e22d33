import { parseAllDocuments, stringify } from 'yaml'
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
  for (const document of parseAllDocuments(text, { prettyErrors: false, uniqueKeys: true })) {
    const line = lineOf(text, document.contents?.range?.[0] ?? document.range[0])
    const [error] = document.errors
    if (error) {
      problems.push({ line: lineOf(text, error.pos[0]), message: `This is no YAML: ${error.message}` })
      continue
    }
    const value = document.toJS({ maxAliasCount: 20 }) as unknown
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

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
