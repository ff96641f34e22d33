import { inPlaceCount, spareComes } from '@/lib/domain/changes/machines-of'
import type { Outlook } from '@/lib/domain/changes/types'
import type { ChangeDto } from '@/lib/services/changes/change-row'

type Outcome = Outlook['replace']

/**
 * What an approval would do, in the button's words: "12", or where more than one thing happens, or another than the button
 * says: "11 in place, 1 replaced, 2 created". `begun`: of a pool, nodes that go on to their end whatever is decided.
 */
export function buttonCount(outcome: Outcome, mode: 'in-place' | 'replace', begun = 0): string {
  const { counts, added = 0, removed = 0 } = outcome
  const replaced = outcome.deleted - removed
  if (outcome.onDelete) return `${replaced}, each when it is deleted`
  const [own, other] = mode === 'replace' ? [replaced, 0] : [inPlaceCount(counts) - begun, replaced]
  const scaled = [...(added > 0 ? [`${added} created`] : []), ...(removed > 0 ? [`${removed} deleted`] : [])]
  if (other === 0 && scaled.length === 0) return String(own)
  const first = own > 0 || other > 0 ? [`${own} ${mode === 'replace' ? 'replaced' : 'in place'}`] : []
  return [...first, ...(other > 0 ? [`${other} replaced`] : []), ...scaled].join(', ')
}

/** Whether letting it go changes no machine that is there, as far as is known: at most there are more of them, or fewer. */
export const changesNone = ({
  blocked,
  unknown,
  only,
  inPlace,
  replace: { created, deleted, added = 0, removed = 0 },
}: Outlook): boolean =>
  !blocked &&
  !unknown &&
  // A configuration of nodes replaces none, and changes them all the same.
  (only ? inPlaceCount(inPlace?.counts ?? {}) === 0 : created === added && deleted === removed)

/** Whether new machines come by it, so that whatever keeps the group from getting any stands in its way. */
export const comes = ({ inPlace, replace }: Outlook, mode: 'in-place' | 'replace'): boolean =>
  ((mode === 'in-place' ? inPlace : replace)?.created ?? 0) > 0

/** Whether letting it go moves no machine, as far as is known. */
export const movesNothing = (outlook: Outlook): boolean =>
  changesNone(outlook) && outlook.replace.created === 0 && outlook.replace.deleted === 0

const machines = (n: number, kind = ''): string => `${n}${kind} machine${n === 1 ? '' : 's'}`
/** "1 machine stays", "2 machines stay". */
const verb = (n: number, one: string, many: string, kind = ''): string => `${machines(n, kind)} ${n === 1 ? one : many}`

export interface Move {
  /** gone: deleted, and none comes in its place */
  what: 'in-place' | 'replace' | 'new' | 'stay' | 'gone' | 'failed'
  words: string
  /** Which machines, where that is certain. */
  names: string[]
}

interface Known {
  name: string
  verdict: string | null
  state?: string | null
  /** Chosen when its group was held, and not begun. */
  outOfService?: boolean
  /** `late`: made, or updated, it counts as failed; `failedFor`: it did, whether or not somebody accepted that since. */
  progress?: { state: string; late?: string | null; failedFor?: string | null; startedAt?: string | null } | null
}

/** Accepted, it is no better for that before it is Ready. */
export const hasFailed = ({ state, progress }: Pick<Known, 'state' | 'progress'>): boolean =>
  state === 'failed' ||
  progress?.state === 'failed' ||
  !!progress?.late ||
  (!!progress?.failedFor && (state === 'provisioning' || state === 'not-ready'))
const isAtIt = (machine: Known): boolean =>
  !hasFailed(machine) && (machine.state === 'updating' || machine.progress?.state === 'updating')
const hasTaken = ({ progress }: Known): boolean => progress?.state === 'done' && !!progress.startedAt

/**
 * What an approval does to which machines. Names stand only where they are certain: of a group that needs a spare,
 * Cluster API picks the one that goes when it comes to it.
 */
export function movesOf(
  change: Pick<ChangeDto, 'groupKind' | 'outlook'>,
  mode: 'in-place' | 'replace',
  listed: readonly Known[],
): Move[] {
  const outcome = mode === 'in-place' ? change.outlook.inPlace : change.outlook.replace
  if (!outcome) return []
  const known = listed.filter(({ outOfService }) => !outOfService)
  const { counts, added = 0, removed = 0, forSpares = 0 } = outcome
  const [created, deleted] = [outcome.created - added, outcome.deleted - removed]
  const named = (...verdicts: string[]) => known.filter((m) => verdicts.includes(m.verdict ?? '')).map((m) => m.name)
  const out = listed.flatMap(({ name, outOfService }) => (outOfService ? [name] : []))
  // Shown only when it is the whole list: a part of it would be read as all of it.
  const all = (names: string[], n: number) => (names.length === n ? names : [])
  // Cluster API writes first what a machine shall be: one that failed on its way there, or is on it, counts as up to date.
  const current = known.filter(({ verdict }) => verdict === 'up-to-date')
  const failed = current.filter(hasFailed).map(({ name }) => name)
  const atIt = current.filter(isAtIt).map(({ name }) => name)
  // Nodes of a pool that took it up before it was held, or held again, were touched.
  const took = change.groupKind === 'MachineConfigPool' ? known.filter(hasTaken).map(({ name }) => name) : []
  const stay = (counts['up-to-date'] ?? 0) - failed.length - atIt.length - took.length - out.length
  const besides = (n: number, what: Move['what'], words: string, kind = ''): Move[] =>
    n > 0 ? [{ what, words: `${verb(n, 'is', 'are', kind)} ${words}`, names: [] }] : []
  const also = mode === 'replace' && deleted === 0 ? '' : ' besides'
  const already = (names: string[], what: Move['what'], one: string, many: string): Move[] =>
    names.length > 0 ? [{ what, words: verb(names.length, one, many), names }] : []
  const rest = [
    ...already(
      failed,
      'failed',
      'has failed already: it is none of these.',
      'have failed already: they are none of these.',
    ),
    ...already(
      atIt,
      'in-place',
      'is being updated already, and goes on to its end.',
      'are being updated already, and go on to their end.',
    ),
    ...already(
      out,
      'in-place',
      'is out of service already, and is updated with it.',
      'are out of service already, and are updated with it.',
    ),
    ...already(took, 'stay', 'has taken it up already.', 'have taken it up already.'),
    ...besides(added, 'new', `created${also}: more are wanted than there are.`),
    ...besides(
      forSpares,
      'gone',
      `deleted${also}, for ${spares(forSpares)}.${mode === 'in-place' ? which(change, forSpares) : ''}`,
      ' old',
    ),
    ...besides(removed - forSpares, 'gone', `deleted${also}: more are there than are wanted.`),
    ...besides(stay, 'stay', 'up to date already and not touched.'),
  ]
  if (mode === 'replace') {
    const names = known.filter((m) => m.verdict !== 'up-to-date').map((m) => m.name)
    if (deleted === 0) return rest
    if (outcome.onDelete) return [...onDeletion(deleted, all(names, deleted)), ...rest]
    return [
      {
        what: 'new',
        words: `${verb(created, 'is', 'are')} created, under ${created === 1 ? 'a new name' : 'new names'}.`,
        names: [],
      },
      { what: 'replace', words: `${verb(deleted, 'is', 'are')} drained and deleted.`, names: all(names, deleted) },
      ...rest,
    ]
  }
  const n = inPlaceCount(counts)
  const spare = spareComes(outcome) || (n === 0 && deleted > 0 && named('replace').length === 0)
  // Of those that are replaced: for the spare, and whatever an updater says.
  const last = spare ? (outcome.spare ?? deleted) : 0
  const certain = deleted - last
  const moving = n + last
  const stays: Move = {
    what: 'in-place',
    words: `${verb(n, 'is', 'are')} updated where ${n === 1 ? 'it stands' : 'they stand'}: same machine, same node, same name.`,
    names: spare ? [] : all(named('in-place'), n),
  }
  const replaced: Move[] =
    certain > 0
      ? [
          {
            what: 'replace',
            words: `${verb(certain, 'is', 'are')} replaced all the same: a new one is created, the old one deleted.`,
            names: all(named('replace'), certain),
          },
        ]
      : []
  if (!spare) return [...(n > 0 ? [stays] : []), ...replaced, ...rest]
  return [
    {
      what: 'new',
      words: `${verb(last, 'is', 'are')} created before any other moves: by the strategy of this ${change.groupKind}, no machine more may be missing now.`,
      names: [],
    },
    ...(n > 0 ? [stays] : []),
    {
      what: 'replace',
      words: `${last} of the ${machines(moving)} that ${moving === 1 ? 'is' : 'are'} there now ${last === 1 ? 'is' : 'are'} deleted at the end, when the others are done.${which(change, 1)}`,
      names: moving === last ? all(named('in-place-with-spare'), last) : [],
    },
    ...replaced,
    ...rest,
  ]
}

/** Approving moves none of them: what happens is up to who deletes. */
const onDeletion = (n: number, names: string[]): Move[] => [
  {
    what: 'replace',
    words: `${verb(n, 'stays as it is', 'stay as they are')} until somebody deletes ${n === 1 ? 'it' : 'them'}: nothing moves by itself.`,
    names,
  },
  {
    what: 'new',
    words: 'For each that is deleted, a new one is created; until that is ready, one fewer is available.',
    names: [],
  },
]

const spares = (n: number): string =>
  n === 1 ? 'the spare that is there already' : `the ${n} spares that are there already`

const which = ({ groupKind }: Pick<ChangeDto, 'groupKind'>, n: number): string =>
  n === 1 ? ` ${WHICH[groupKind] ?? 'Cluster API decides which one when it comes to it.'}` : ''

const WHICH: Record<string, string> = {
  KubeadmControlPlane:
    'Cluster API decides which one when it comes to it: each time it takes the oldest in the failure domain with the most that are outdated, and the one left last goes.',
  MachineDeployment: 'Cluster API decides which one when it comes to it, by the deletion order of the deployment.',
}
