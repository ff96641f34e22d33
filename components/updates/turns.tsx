import { MiddleTruncate, Table, Td, Th, Tr } from '@/components/ui'
import type { Plan } from '@/lib/services/forecast/plan'
import { ruleWords, tiesWords, turnsOf } from './turn-words'

const SHORT = 12

/** Node by node of a pool: in which order, what is done to each, and which are not taken. */
export function Turns({ plan, begun }: { plan: Plan; begun?: ReadonlySet<string> | undefined }) {
  const { pool } = plan
  if (!pool) return null
  const turns = turnsOf(plan, begun)
  const ties = tiesWords(pool.ties)
  return (
    <div className="mt-4">
      <h3 className="mb-1 text-sm text-ink-3">Node by node</h3>
      <p className="max-w-[88ch] text-pretty">
        {ruleWords(pool)} {ties}
      </p>
      {pool.stays.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {pool.stays.slice(0, SHORT).map(({ name, why }) => (
            <li key={name} className="wrap-anywhere">
              {name} {why}.
            </li>
          ))}
          {pool.stays.length > SHORT && <li>and {pool.stays.length - SHORT} more.</li>}
        </ul>
      )}
      {turns.length > 0 && (
        <details className="mt-1" open={turns.length <= SHORT}>
          <summary className="min-h-6 w-fit text-sm text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
            {turns.length === 1 ? 'The node' : `${turns.length} nodes, in their order`}
          </summary>
          <Table stack label="Nodes in the order of their turns" className="mt-1">
            <thead>
              <tr>
                <Th>node</Th>
                <Th>what is done to it</Th>
                <Th>begins</Th>
              </tr>
            </thead>
            <tbody>
              {turns.map(({ name, zone, does, when }, i) => (
                <Tr key={name}>
                  <Td>
                    <span className="flex gap-2">
                      <span className="min-w-6 text-right text-ink-3 tabular-nums">{i + 1}</span>
                      <span className="min-w-0">
                        <MiddleTruncate text={name} tail={14} className="max-w-64!" />
                        {zone && <span className="block text-sm text-ink-3">{zone}</span>}
                      </span>
                    </span>
                  </Td>
                  <Td>{does}</Td>
                  <Td>{when}</Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        </details>
      )}
    </div>
  )
}
