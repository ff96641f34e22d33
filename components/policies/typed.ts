import { limitFrom, shareFrom, type PolicySpec, type Selection, type Span, type Wave } from '@/lib/domain/policies'
import { EMPTY_SELECTION, selectionOf, typedSelection, words, type TypedSelection } from './typed-selection'

/** A policy as it is typed: everything is a text, and what is empty is not said. */
export interface Typed extends TypedSelection {
  name: string
  strategy: string
  approvals: string
  notTheAuthor: string
  reasonRequired: string
  expiresAfter: string
  stopsAt: string
  readyWithin: string
  remindAfter: string
  escalateAfter: string
  holdLimit: string
  scaleWhileHeld: string
  maxSurge: string
  maxUnavailable: string
  deletionOrder: string
  drainTimeout: string
  detachTimeout: string
  updaterOrder: string
  /** always: what wider policies say of windows does not hold */
  always: string
  windows: TypedSpan[]
  freezes: TypedSpan[]
  /** none: what wider policies say of waves does not hold */
  atOnce: string
  waves: TypedWave[]
}

export interface TypedWave extends TypedSelection {
  name: string
  size: string
  soak: string
  ownApproval: string
}

export interface TypedSpan {
  starts: string
  /** How long it lasts, or when it ends. */
  until: string
  repeats: string
  timeZone: string
  why: string
}

export const EMPTY_SPAN: TypedSpan = { starts: '', until: '', repeats: '', timeZone: '', why: '' }

export const EMPTY_WAVE: TypedWave = { ...EMPTY_SELECTION, name: '', size: '', soak: '', ownApproval: '' }

/** What a new wave is called until somebody says otherwise: nobody is told that it has no name. */
export function newName(waves: readonly Pick<TypedWave, 'name'>[]): string {
  let n = waves.length + 1
  while (waves.some(({ name }) => name.trim() === `wave-${n}`)) n++
  return `wave-${n}`
}

export const EMPTY: Typed = {
  ...{ name: '', ...EMPTY_SELECTION },
  ...{ strategy: '', approvals: '', notTheAuthor: '', reasonRequired: '', expiresAfter: '' },
  ...{ stopsAt: '', readyWithin: '', remindAfter: '', escalateAfter: '', holdLimit: '', scaleWhileHeld: '' },
  ...{ maxSurge: '', maxUnavailable: '', deletionOrder: '', drainTimeout: '', detachTimeout: '', updaterOrder: '' },
  ...{ always: '', windows: [], freezes: [], atOnce: '', waves: [] },
}

const said = (value: boolean | undefined): string => (value === undefined ? '' : value ? 'yes' : 'no')

/** As it would have been typed. */
export function typedOf(name: string, { select, ...rules }: PolicySpec): Typed {
  return {
    ...{ ...EMPTY, name, ...typedSelection(select) },
    strategy: rules.strategy ?? '',
    approvals: rules.approvals === undefined ? '' : String(rules.approvals),
    notTheAuthor: said(rules.notTheAuthor),
    reasonRequired: said(rules.reasonRequired),
    expiresAfter: rules.expiresAfter ?? '',
    stopsAt: String(rules.stopsAt ?? ''),
    readyWithin: rules.readyWithin ?? '',
    remindAfter: rules.remindAfter ?? '',
    escalateAfter: rules.escalateAfter ?? '',
    holdLimit: rules.holdLimit ?? '',
    scaleWhileHeld: said(rules.scaleWhileHeld),
    ...Object.fromEntries(AS_TYPED.map((key) => [key, String(rules[key] ?? '')])),
    updaterOrder: (rules.updaterOrder ?? []).join(', '),
    always: rules.windows === 'always' ? 'always' : '',
    windows: rules.windows === 'always' ? [] : (rules.windows ?? []).map(typedSpan),
    freezes: (rules.freezes ?? []).map(typedSpan),
    atOnce: rules.waves === 'none' ? 'none' : '',
    waves: rules.waves === 'none' ? [] : (rules.waves ?? []).map(typedWave),
  }
}

const typedWave = ({ name, select = {}, size, soak = '', ownApproval }: Wave): TypedWave => ({
  ...{ ...EMPTY_WAVE, name, ...typedSelection(select), soak },
  ...{ size: String(size ?? ''), ownApproval: ownApproval ? 'yes' : '' },
})

function waveOf(typed: TypedWave) {
  const { name, size, soak, ownApproval } = typed
  const select = selectionOf(typed)
  return {
    name: name.trim(),
    ...(Object.keys(select).length > 0 ? { select } : {}),
    ...(size.trim() ? { size: shareFrom(size) ?? size.trim() } : {}),
    ...(soak.trim() ? { soak: soak.trim() } : {}),
    ...(ownApproval ? { ownApproval: true } : {}),
  }
}

const typedSpan = ({ starts, ends, lasts, repeats = '', timeZone, why = '' }: Span): TypedSpan => ({
  ...{ ...EMPTY_SPAN, starts, repeats, timeZone, why },
  until: ends ?? lasts ?? '',
})

function spanOf({ starts, until, repeats, timeZone, why }: TypedSpan): Span {
  const end = until.trim()
  return {
    ...{ starts: starts.trim(), timeZone: timeZone.trim() },
    ...(end === '' ? {} : /^\d{4}-/.test(end) ? { ends: end } : { lasts: end }),
    ...(repeats.trim() ? { repeats: repeats.trim() } : {}),
    ...(why.trim() ? { why: why.trim() } : {}),
  }
}

const choicesOf = (typed: Typed) =>
  Object.fromEntries(
    (['notTheAuthor', 'reasonRequired', 'scaleWhileHeld'] as const).flatMap((key) =>
      typed[key] ? [[key, typed[key] === 'yes']] : [],
    ),
  )

/** What is sent as it is typed, where it is filled in. */
const AS_TYPED = ['maxSurge', 'maxUnavailable', 'deletionOrder', 'drainTimeout', 'detachTimeout'] as const
const plainOf = (typed: Typed) =>
  Object.fromEntries(
    ([...AS_TYPED, 'remindAfter', 'escalateAfter', 'holdLimit'] as const).flatMap((key) =>
      typed[key].trim() ? [[key, numeral(typed[key].trim())]] : [],
    ),
  )
const numeral = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text)

/** As it is sent: what cannot be right goes as it was typed, so that the server says what is wrong with it. */
export function specOf(typed: Typed): { select: Selection } & Record<string, unknown> {
  const { strategy } = typed
  const [expiresAfter, stopsAt, readyWithin] = [typed.expiresAfter, typed.stopsAt, typed.readyWithin].map((t) =>
    t.trim(),
  )
  const number = typed.approvals.trim()
  return {
    select: selectionOf(typed),
    ...(strategy ? { strategy } : {}),
    ...(number ? { approvals: /^\d+$/.test(number) ? Number(number) : number } : {}),
    ...choicesOf(typed),
    ...(expiresAfter ? { expiresAfter } : {}),
    ...(stopsAt ? { stopsAt: limitFrom(stopsAt) ?? stopsAt } : {}),
    ...(readyWithin ? { readyWithin } : {}),
    ...plainOf(typed),
    ...(words(typed.updaterOrder).length > 0 ? { updaterOrder: words(typed.updaterOrder) } : {}),
    ...(typed.always ? { windows: 'always' } : typed.windows.length > 0 ? { windows: typed.windows.map(spanOf) } : {}),
    ...(typed.atOnce ? { waves: 'none' } : typed.waves.length > 0 ? { waves: typed.waves.map(waveOf) } : {}),
    ...(typed.freezes.length > 0 ? { freezes: typed.freezes.map(spanOf) } : {}),
  }
}
