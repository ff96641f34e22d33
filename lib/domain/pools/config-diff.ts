import { effectOf } from './effect'
import { lineDiff, type Line } from './lines'
import { isCredential, isShown, masked, shownArgument } from './shown'
import { hiddenDifference, shownUnit } from './shown-unit'

/** A rendered MachineConfig, decoded by its provider. */
export interface Rendered {
  name: string
  /** The release that it was made for. */
  release: string | null
  files: RenderedFile[]
  units: RenderedUnit[]
  /** osImageURL, kernelType, fips and the like: one word each. */
  values: Record<string, string>
  kernelArguments: string[]
  extensions: string[]
  /** Users with a digest of what they may sign in with. */
  users: { name: string; digest: string }[]
  /** Digests of all else that is set, by where it stands: links, disks, groups. */
  rest: Record<string, string>
}

export interface RenderedFile {
  path: string
  mode: number | null
  /** Null: not text, too big, or not to be decoded. */
  text: string | null
  /** Of the content as the node has it; null: not known. */
  bytes: number | null
  /** Of what is stored; enough to tell whether two differ. */
  digest: string
}

export interface RenderedUnit {
  name: string
  /** Contents, drop-ins, enabled and masked as one text. */
  text: string
}

export interface ConfigChange {
  part: 'value' | 'kernel argument' | 'extension' | 'file' | 'unit' | 'user' | 'other'
  name: string
  kind: 'added' | 'removed' | 'changed'
  /** Of single words; masked. */
  current: string | null
  desired: string | null
  /** Of texts; masked. */
  lines: Line[] | null
  /** Why no content is shown, or what else there is to say. */
  note: string | null
}

export interface ConfigDiff {
  changes: ConfigChange[]
  /** What taking it up does to a node, as far as that is known without the cluster's policies. */
  effect: string
}

/** What differs between the config that nodes have and the one that they are to have; nothing secret is in it. */
export function configDiff(current: Rendered, desired: Rendered): ConfigDiff {
  const changes = [
    ...values(current.values, desired.values),
    ...words('kernel argument', current.kernelArguments, desired.kernelArguments, shownArgument),
    ...words('extension', current.extensions, desired.extensions, masked),
    ...pairs(current.files, desired.files, ({ path }) => path).flatMap(([a, b]) => file(a, b)),
    ...pairs(current.units, desired.units, ({ name }) => name).flatMap(([a, b]) => unit(a, b)),
    ...pairs(current.users, desired.users, ({ name }) => name).flatMap(([a, b]) => user(a, b)),
    ...rest(current.rest, desired.rest),
  ]
  return { changes, effect: effectOf(changes) }
}

const kindOf = (a: unknown, b: unknown): ConfigChange['kind'] =>
  a === undefined ? 'added' : b === undefined ? 'removed' : 'changed'

function pairs<T>(a: readonly T[], b: readonly T[], key: (item: T) => string): [T | undefined, T | undefined][] {
  const [left, right] = [a, b].map((list) => new Map(list.map((item) => [key(item), item])))
  const names = [...new Set([...left!.keys(), ...right!.keys()])].sort()
  return names.map((name) => [left!.get(name), right!.get(name)])
}

function values(a: Record<string, string>, b: Record<string, string>): ConfigChange[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  return names
    .filter((name) => a[name] !== b[name])
    .map((name) => ({
      ...{ part: 'value' as const, name, kind: kindOf(a[name], b[name]), lines: null, note: null },
      current: a[name] === undefined ? null : masked(a[name]),
      desired: b[name] === undefined ? null : masked(b[name]),
    }))
}

/** Lists of words whose order and number count for the kernel and not for people: what is gone, and what came. */
function words(
  part: 'kernel argument' | 'extension',
  a: readonly string[],
  b: readonly string[],
  show: (word: string) => string,
): ConfigChange[] {
  const rest = (from: readonly string[], less: readonly string[]) => {
    const left = [...less]
    return from.filter((word) => {
      const at = left.indexOf(word)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
  }
  const change = (kind: 'added' | 'removed') => (word: string) => ({
    ...{ part, name: show(word), kind, current: null, desired: null, lines: null, note: null },
  })
  const changed = [...rest(a, b).map(change('removed')), ...rest(b, a).map(change('added'))]
  if (changed.length > 0 || a.join('\0') === b.join('\0')) return changed
  return [
    {
      part,
      name: 'order',
      kind: 'changed',
      current: a.map(show).join(' '),
      desired: b.map(show).join(' '),
      lines: null,
      note: null,
    },
  ]
}

function file(a: RenderedFile | undefined, b: RenderedFile | undefined): ConfigChange[] {
  const { path } = (a ?? b)!
  const mode = a && b && a.mode !== b.mode ? `mode ${octal(a.mode)} → ${octal(b.mode)}` : null
  const same = a && b && a.digest === b.digest
  if (same && !mode) return []
  const change = { part: 'file' as const, name: path, kind: kindOf(a, b), current: null, desired: null }
  if (same) return [{ ...change, lines: null, note: mode }]
  const said = (note: string) => [{ ...change, lines: null, note: mode ? `${note} Also ${mode}.` : note }]
  const sides = [a, b].filter((side) => side !== undefined)
  if (sides.some((side) => isCredential(path, side.mode))) return said('Its content is a credential and is not shown.')
  if (sides.some((side) => side.text === null)) return said('Its content is not text, or too long to be shown.')
  if (!sides.every((side) => isShown(path, side.text ?? ''))) return said(notShown(a, b))
  const { lines, note } = textChange(a?.text ?? '', b?.text ?? '')
  return note ? said(note) : [{ ...change, lines, note: mode }]
}

/** Of a file that may hold anything. */
function notShown(a: RenderedFile | undefined, b: RenderedFile | undefined): string {
  const [from, to] = [a, b].map((side) => (side ? bytes(side.bytes ?? 0) : null))
  const length = from && to && from !== to ? `${from} become ${to}` : (to ?? from)
  return `Its content may hold secrets and is not shown: ${length}.`
}

const bytes = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`

const octal = (mode: number | null): string => (mode === null ? 'default' : mode.toString(8).padStart(4, '0'))

function textChange(a: string, b: string): Pick<ConfigChange, 'lines' | 'note'> {
  const [left, right] = [masked(a), masked(b)]
  if (left === right) return { lines: null, note: 'Only what is masked differs.' }
  return { lines: linesOf(left, right), note: null }
}

function linesOf(a: string, b: string): Line[] {
  const both = a.endsWith('\n') && b.endsWith('\n')
  return both ? lineDiff(a.slice(0, -1), b.slice(0, -1)) : lineDiff(a, b)
}

function unit(a: RenderedUnit | undefined, b: RenderedUnit | undefined): ConfigChange[] {
  if (a?.text === b?.text) return []
  const change = { part: 'unit' as const, name: (a ?? b)!.name, kind: kindOf(a, b), current: null, desired: null }
  const [left, right] = [shownUnit(a?.text ?? ''), shownUnit(b?.text ?? '')]
  const hidden = hiddenDifference(left, right).join(', ')
  const lines = left.text === right.text ? null : linesOf(left.text, right.text)
  const only = lines ? 'What is masked differs' : 'Only what is masked differs'
  const note = a && b && hidden ? `${only}: ${hidden}.` : lines ? null : 'Only spaces and line breaks differ.'
  return [{ ...change, lines, note }]
}

function user(a: { name: string; digest: string } | undefined, b: typeof a): ConfigChange[] {
  if (a?.digest === b?.digest) return []
  const note = 'How this user may sign in differs; keys and passwords are not shown.'
  return [{ part: 'user', name: (a ?? b)!.name, kind: kindOf(a, b), current: null, desired: null, lines: null, note }]
}

/** That something differs which nobody looks into is said all the same. */
function rest(a: Record<string, string>, b: Record<string, string>): ConfigChange[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  return names
    .filter((name) => a[name] !== b[name])
    .map((name) => ({
      ...{ part: 'other' as const, name, kind: kindOf(a[name], b[name]), current: null, desired: null, lines: null },
      note: 'It differs; what is in it is not compared.',
    }))
}
