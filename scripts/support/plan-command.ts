import { parseArgs } from 'node:util'
import { EXIT_CODES, wayOf } from '@/lib/domain/plan'
import { VERDICT_WORDS, type Verdict } from '@/lib/domain/verdict'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { planChange } from '@/lib/services/plan/plan-change'
import { planChoices } from '@/lib/services/plan/plan-choices'
import { lasts, restsOn, roomFor } from '@/components/updates/course-words'
import type { Plan } from '@/lib/services/forecast/plan'
import type { PlanDocument, PlanGroup, PlanResult } from '@/lib/services/plan/types'
import { policyLines } from './policy-lines'
import { readText } from './read-text'

interface Place {
  file: string
  line: number | null
}

/** The files as one text, and where each of its lines comes from. */
export function joined(files: { name: string; text: string }[]): { text: string; placeOf(line: number | null): Place } {
  const starts: { name: string; from: number }[] = []
  let text = ''
  for (const { name, text: one } of files) {
    if (text !== '') text += '---\n'
    starts.push({ name, from: text.split('\n').length })
    text += one.endsWith('\n') ? one : `${one}\n`
  }
  return {
    text,
    placeOf: (line) => {
      if (line === null) return { file: '', line: null }
      const found = starts.filter(({ from }) => from <= line).at(-1) ?? starts[0]!
      return { file: found.name, line: line - found.from + 1 }
    },
  }
}

/** `npm run admin -- plan`: returns the exit code that says what the plan comes to. */
export async function runPlan(ctx: Ctx, args: string[], say: (line: string) => void): Promise<number> {
  const options = {
    file: { type: 'string', short: 'f', multiple: true },
    cluster: { type: 'string' },
    json: { type: 'boolean' },
  } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const names = [...(values.file ?? []), ...positionals]
  if (names.length === 0) throw usage('Say which files, with -f (- for stdin).')
  const files = names.map((name) => ({ name, text: readText(name, 'manifest') }))
  const { text, placeOf } = joined(files)
  try {
    const clusterId = await clusterOf(ctx, values.cluster)
    const result = await planChange(ctx, { clusterId, manifests: text })
    if (values.json) say(JSON.stringify(asJson(result, placeOf), null, 2))
    else for (const line of sentences(result, placeOf)) say(line)
    return EXIT_CODES[result.verdict]
  } catch (error) {
    // What was given cannot be planned at all; it has the exit code of what cannot be applied.
    if (!(error instanceof ServiceError) || error.code !== 'invalid') throw error
    if (values.json) say(JSON.stringify({ verdict: 'invalid', exitCode: EXIT_CODES.invalid, headline: error.message }))
    else console.error(error.message)
    return EXIT_CODES.invalid
  }
}

const usage = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_PARSE_ARGS' })

async function clusterOf(ctx: Ctx, name: string | undefined): Promise<string> {
  const { clusters } = await planChoices(ctx, {})
  if (name) {
    const found = clusters.find((cluster) => cluster.name === name)
    if (!found) throw new ServiceError('not-found', `There is no management cluster ${name} with Cluster API.`)
    return found.id
  }
  const [only, ...more] = clusters
  if (!only) throw new ServiceError('not-found', 'No management cluster with Cluster API is connected.')
  if (more.length > 0)
    throw usage(`Say which management cluster, with --cluster: ${clusters.map((c) => c.name).join(', ')}.`)
  return only.id
}

const at = ({ file, line }: Place): string => (line === null ? '' : `${file}:${line}: `)

function* sentences(result: PlanResult, placeOf: (line: number | null) => Place): Generator<string> {
  yield `${result.headline} (${result.clusterName}; nothing was applied)`
  for (const document of result.documents) {
    yield `${at(placeOf(document.errorLine ?? document.line))}${document.sentence}`
    for (const line of document.answer?.split('\n') ?? []) yield `    ${line}`
  }
  for (const group of result.groups) {
    yield ''
    yield `${group.groupKind} ${group.namespace}/${group.groupName}: ${group.headline}`
    const unknown = group.undetermined.map((one) => `Not known: ${one}`)
    for (const line of [...unknown, ...group.notes, ...policyLines(group.policy)]) yield `  ${line}`
    for (const { object, path, coveredBy, always, ...field } of group.changeSet.fields)
      yield `  ${path.startsWith('rollout.') ? 'group' : object} ${path}: ${path.startsWith('rollout.') ? '' : `${shown(field.current)} → `}${shown(field.desired)}${always ? ' (always in place)' : coveredBy ? ` (in place by ${coveredBy})` : ''}`
    if (group.changeSet.pairs.length > 0 && group.outlook.whyNotInPlace)
      yield `  Not in place: ${group.outlook.whyNotInPlace}`
    if (group.waiting)
      yield `  ${group.waiting.same ? 'This very change is there already' : 'Another change of it is not over, and this would take its place'}: ${group.waiting.summary}`
    const course = courseOf(group)
    if (course)
      yield `  ${group.outlook.unknown ? 'Approved replacing: ' : ''}${lasts(course)} ${roomFor(course)} ${restsOn(course.basis)}`
    const counts = Object.entries(wayOf(group.outlook).counts).map(([v, n]) => `${n} ${VERDICT_WORDS[v as Verdict]}`)
    if (counts.length > 0) yield `  Machines: ${counts.join(', ')}.`
  }
}

/** The way that it would take: in place where that can be. */
const courseOf = ({ course }: PlanGroup): Plan | null => course && (course.inPlace ?? course.replace)

/** Milliseconds, and machines. */
function courseJson(group: PlanGroup) {
  const course = courseOf(group)
  if (!course) return null
  const { way, estimate, lowest, floor, most, start, stalled = null, basis } = course
  const takes = estimate && { p50: estimate.p50, p90: estimate.p90 }
  const guess = Object.values(basis).some(({ from }) => from === 'guess')
  return { way, estimate: takes, guess, stalled, lowestAvailable: lowest, floor, spare: most - start }
}

const shown = (value: unknown): string =>
  value === undefined ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)

/** The shape that scripts rely on: fields are added to it, never renamed or taken away. */
function asJson(result: PlanResult, placeOf: (line: number | null) => Place) {
  return {
    verdict: result.verdict,
    exitCode: EXIT_CODES[result.verdict],
    headline: result.headline,
    cluster: result.clusterName,
    documents: result.documents.map((document: PlanDocument) => ({
      ...placeOf(document.errorLine ?? document.line),
      apiVersion: document.apiVersion,
      kind: document.kind,
      namespace: document.namespace,
      name: document.name,
      outcome: document.outcome,
      sentence: document.sentence,
      answer: document.answer ?? null,
    })),
    groups: result.groups.map((group: PlanGroup) => ({
      kind: group.groupKind,
      namespace: group.namespace,
      name: group.groupName,
      workloadCluster: group.workloadCluster,
      what: group.what,
      verdict: group.verdict,
      headline: group.headline,
      fromVersion: group.fromVersion,
      toVersion: group.toVersion,
      fingerprint: group.fingerprint,
      machines: group.machines,
      counts: wayOf(group.outlook).counts,
      created: wayOf(group.outlook).created,
      deleted: wayOf(group.outlook).deleted,
      whyNotInPlace: group.outlook.whyNotInPlace ?? null,
      heldBy: group.heldBy,
      undetermined: group.undetermined,
      course: courseJson(group),
      notes: [...group.notes, ...policyLines(group.policy)],
      fields: group.changeSet.fields.map(({ digest: _digest, ...field }) => field),
      waiting: group.waiting?.id ?? null,
    })),
  }
}
