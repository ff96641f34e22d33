import Link from 'next/link'
import { count, Table, Td, Th, VerdictChip } from '@/components/ui'
import type { ChangeSet, FieldChange, Outlook, ShownChange } from '@/lib/domain/changes/types'
import { isKind, isRule, ofContent } from '@/lib/domain/changes/reference'
import { machinesOf } from './field-machines'
import { FieldValue } from './field-value'

const OBJECTS: Record<FieldChange['object'], string> = {
  machine: 'Machine',
  infrastructure: 'infrastructure',
  bootstrap: 'bootstrap',
}

const POOL_OBJECTS: Record<FieldChange['object'], string> = {
  machine: 'release',
  infrastructure: '',
  bootstrap: 'config',
}

/** Field by field: now and then, and who can bring a running machine from one to the other. */
export function FieldChanges({
  changeSet,
  kind,
  outlook,
  replaced = false,
}: {
  changeSet: ChangeSet
  kind: string
  outlook: Outlook
  /** It was let go replacing: nobody is asked, whoever did not say before. */
  replaced?: boolean
}) {
  const ofControlPlane = kind === 'KubeadmControlPlane'
  const ofPool = kind === 'MachineConfigPool'
  return (
    <>
      {changeSet.fields.length > 0 && (
        <Table stack label="Fields that change">
          <thead>
            <tr>
              <Th>object</Th>
              <Th>field</Th>
              <Th>now and then</Th>
              <Th>covered by</Th>
            </tr>
          </thead>
          <tbody>
            {changeSet.fields.map((field) => (
              <tr key={JSON.stringify([field.object, field.path, field.current, field.desired])}>
                <Td className="text-ink-2">
                  {isRule(field) ? 'the group' : ofPool ? POOL_OBJECTS[field.object] : OBJECTS[field.object]}
                </Td>
                <Td className="min-w-44 font-mono text-sm wrap-anywhere">{pathWords(field, ofPool)}</Td>
                <Td className="font-mono text-sm">
                  <FieldValue field={field} onlyThen={isRule(field)} />
                  <Whose field={field} changeSet={changeSet} />
                </Td>
                <Td>
                  <Covered {...{ field, changeSet, outlook, replaced }} />
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {certainOf(changeSet).map(({ why, only, moves }) => (
        <p key={why} className="mt-2 text-ink-2">
          {moves && 'Replaced whatever an updater says'}
          {moves && only && (
            <>
              , of these <span className="font-mono break-all">{only.slice(0, NAMED).join(', ')}</span>
              {only.length > NAMED && ` and ${only.length - NAMED} more`}
            </>
          )}
          {moves && ': '}
          {why}
        </p>
      ))}
      {changeSet.pairs.length > 1 && (
        <p className="mt-2 text-sm text-ink-3">
          {ofControlPlane ? `Of ${changeSet.pairs.length} machines:` : `From ${changeSet.pairs.length} revisions:`}{' '}
          {changeSet.pairs.map((pair) => (
            <span key={pair.from} className="mr-3 inline-block max-w-full">
              <span className="font-mono break-all">{pair.from}</span>
              {!ofControlPlane && ` (${pair.machines})`}
            </span>
          ))}
        </p>
      )}
    </>
  )
}

const NAMED = 3

/** Of a rendered config these are files, units and the like, and no paths of an object. */
const pathWords = ({ path }: ShownChange, ofConfig: boolean): string =>
  ofConfig || /^(spec|metadata)\./.test(path) ? path : `spec.${path}`

/** Who can bring a running machine to this value, as far as that is known. */
function Covered({
  field,
  changeSet,
  outlook,
  replaced,
}: {
  field: ShownChange
  changeSet: ChangeSet
  outlook: Outlook
  replaced: boolean
}) {
  if (field.always) return <VerdictChip verdict="in-place">always in place</VerdictChip>
  if (isKind(field)) return <span className="text-sm text-ink-3">another kind: only by replacing</span>
  if (!ofContent(field)) return <span className="text-sm text-ink-3">only a name: what stands there counts</span>
  if (outlook.blocked) return <VerdictChip verdict="blocked">nothing moves yet</VerdictChip>
  if (changeSet.pairs.every(({ machines }) => machines === 0))
    return <span className="text-sm text-ink-3">there is no machine yet: the next ones have it</span>
  if (outlook.only) return <VerdictChip verdict="in-place">the operator, node by node</VerdictChip>
  if (field.coveredBy)
    return (
      <Link href="/updaters" className="underline-offset-2 hover:underline">
        <VerdictChip verdict="in-place">{field.coveredBy}</VerdictChip>
      </Link>
    )
  if (outlook.inPlace && isOpen(field, changeSet))
    return <VerdictChip verdict="in-place">several updaters together</VerdictChip>
  if (outlook.unknown && !replaced && isOpen(field, changeSet))
    return <VerdictChip verdict="unknown">not known: an updater did not say</VerdictChip>
  const asked = outlook.inPlace !== null || outlook.uncovered.length > 0 || !isOpen(field, changeSet)
  return (
    <VerdictChip verdict="replace">
      {asked ? 'nobody: only by replacing' : 'nobody is asked: only by replacing'}
    </VerdictChip>
  )
}

/** Whether anybody would be asked about it. */
const isOpen = ({ of }: ShownChange, { pairs }: ChangeSet): boolean =>
  pairs.some((pair) => !pair.certainReplace && (of === undefined || of.includes(pair.from)))

/** Why revisions are replaced in any case, and which, where it is not all of them. */
function certainOf({ pairs }: ChangeSet): { why: string; only: string[] | null; moves: boolean }[] {
  const found = new Map<string, string[]>()
  // What is not known, or cannot begin, the headline says.
  for (const { certainReplace, missing, unread, from } of pairs)
    if (certainReplace && !missing && !unread) found.set(certainReplace, [...(found.get(certainReplace) ?? []), from])
  const moves = pairs.some(({ machines }) => machines > 0)
  return [...found].map(([why, from]) => ({ why, only: from.length < pairs.length ? from : null, moves }))
}

/** Machines half way through another change have something else there now: whose row this is. */
function Whose({ field, changeSet }: { field: ShownChange; changeSet: ChangeSet }) {
  const whose = machinesOf(field, changeSet)
  if (!whose) return null
  const more = whose.from.length - NAMED
  return (
    <span className="block font-sans text-ink-3">
      {count(whose.machines, 'machine')}, of <span className="font-mono">{whose.from.slice(0, NAMED).join(', ')}</span>
      {more > 0 && ` and ${more} more`}
    </span>
  )
}
