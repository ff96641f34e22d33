import { missingGroups, type MissingGroup, type Purpose } from '@/lib/domain/access/groups'
import { notPausableKinds } from '@/lib/domain/access/not-pausable'
import { openShiftAccess, poolLatchWords } from '@/lib/domain/access/openshift'
import type { Capabilities } from '@/lib/domain/capabilities'
import { POOL } from '@/lib/domain/latch/hold'
import { count, Table, Td, Th, Tr } from '@/components/ui'

const FOR: Record<Purpose, string> = { read: 'To read', act: 'To act', hold: 'To hold changes' }

/** What Drydock may not do there, by what that is for, and what grants it. */
export function Missing({ found }: { found: Pick<Capabilities, 'missingPermissions' | 'latchOfPools' | 'resources'> }) {
  const { missingPermissions: missing, latchOfPools } = found
  const mayPause = !notPausableKinds(found).includes(POOL)
  return (
    <div className="mt-4">
      {missing.length > 0 ? (
        <>
          <p className="mb-2 font-medium text-blocked">{count(missing.length, 'permission')} missing:</p>
          {openShiftAccess(missing).map((sentence) => (
            <p key={sentence} className="mb-2 max-w-[80ch] text-pretty text-ink-2">
              {sentence}
            </p>
          ))}
          {missingGroups(missing).map((group) => (
            <Group key={`${group.purpose} ${group.manifest}`} group={group} />
          ))}
        </>
      ) : (
        <p className="text-ink-2">
          <span aria-hidden className="mr-1.5 text-done">
            ✓
          </span>
          No permission is missing.
        </p>
      )}
      {latchOfPools && (
        <p className="mt-2 max-w-[80ch] text-pretty text-ink-2">{poolLatchWords(latchOfPools, mayPause)}</p>
      )}
    </div>
  )
}

function Group({ group: { purpose, manifest, lines } }: { group: MissingGroup }) {
  return (
    <section className="mb-4">
      <h3 className="mb-1 text-sm text-ink-2">
        {FOR[purpose]}
        {manifest && (
          <>
            , granted by <code>{manifest}</code>
          </>
        )}
      </h3>
      <Table stack label={`Missing permissions: ${FOR[purpose].toLowerCase()}`}>
        <thead>
          <tr>
            <Th>verbs</Th>
            <Th>resource</Th>
            <Th>what it is for</Th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Tr key={`${line.group} ${line.resource} ${line.name ?? ''} ${line.namespace ?? ''} ${line.why}`}>
              <Td className="font-mono text-sm">{line.verbs.join(', ')}</Td>
              <Td className="font-mono text-sm">
                {[line.resource, line.group].filter(Boolean).join('.')}
                {line.name && ` (${[line.namespace, line.name].filter(Boolean).join('/')})`}
              </Td>
              <Td className="text-ink-2">{line.why}</Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}
