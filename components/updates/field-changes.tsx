import Link from 'next/link'
import { count, Table, Td, Th, VerdictChip } from '@/components/ui'
import type { ChangeSet, FieldChange, ShownChange } from '@/lib/domain/changes/types'
import { ofContent } from '@/lib/domain/changes/reference'
import { machinesOf } from './field-machines'
import { FieldValue } from './field-value'

const OBJECTS: Record<FieldChange['object'], string> = {
  machine: 'Machine',
  infrastructure: 'infrastructure',
  bootstrap: 'bootstrap',
}

/** Field by field: now and then, and who can bring a running machine from one to the other. */
export function FieldChanges({
  changeSet,
  kind,
  together,
}: {
  changeSet: ChangeSet
  kind: string
  /** All of it is covered, also what no single updater covers. */
  together: boolean
}) {
  const ofControlPlane = kind === 'KubeadmControlPlane'
  const certain = [...new Set(changeSet.pairs.flatMap((pair) => (pair.certainReplace ? [pair.certainReplace] : [])))]
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
                <Td className="text-ink-2">{OBJECTS[field.object]}</Td>
                <Td className="min-w-44 font-mono text-sm wrap-anywhere">spec.{field.path.replace(/^spec\./, '')}</Td>
                <Td className="font-mono text-sm">
                  <FieldValue field={field} />
                  <Whose field={field} changeSet={changeSet} />
                </Td>
                <Td>
                  {!ofContent(field) ? (
                    <span className="text-sm text-ink-3">only a name: what stands there counts</span>
                  ) : field.coveredBy ? (
                    <Link href="/updaters" className="underline-offset-2 hover:underline">
                      <VerdictChip verdict="in-place">{field.coveredBy}</VerdictChip>
                    </Link>
                  ) : together && changeSet.pairs.some((pair) => !pair.certainReplace) ? (
                    <VerdictChip verdict="in-place">several updaters together</VerdictChip>
                  ) : (
                    <VerdictChip verdict="replace">nobody: only by replacing</VerdictChip>
                  )}
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {certain.map((why) => (
        <p key={why} className="mt-2 text-ink-2">
          Replaced whatever an updater says: {why}
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
