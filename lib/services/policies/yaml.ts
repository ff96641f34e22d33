import { isCollection, isMap, isScalar, LineCounter, parseAllDocuments, stringify, type Node } from 'yaml'
import type { PolicySpec } from '@/lib/domain/policies'
import { isObject } from '@/lib/domain/changes'

/** One policy of a pasted text, as it was written. */
export interface Written {
  /** Where a part of it stands; of what is not there, where it would. */
  lineOf(path: readonly PropertyKey[]): number
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
      const contents = document.contents as Node | null
      written.push({ lineOf: (path) => lineOf(offsetIn(contents, path)), name, spec })
    }
  }
  return { written, problems }
}

/** Where the last part of a path begins that is there: a key, or an entry of a list. */
function offsetIn(root: Node | null, path: readonly PropertyKey[]): number {
  let node: unknown = root
  let offset = root?.range?.[0] ?? 0
  for (const part of path) {
    if (!isCollection(node)) break
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === part) : null
    const next: unknown = pair ? pair.value : node.get(part, true)
    const at = pair ? (pair.key as Node) : (next as Node | undefined)
    if (!at?.range) break
    ;[node, offset] = [next, at.range[0]]
  }
  return offset
}

/** The most natural pattern is an alias for YAML. */
const quoted = (message: string): string =>
  /alias/i.test(message) ? " A pattern that begins with * has to be quoted: '*-prod'." : ''
