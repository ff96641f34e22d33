import Link from 'next/link'
import { Chip, MiddleTruncate, RelativeTime, Table, Td, Th, Tr, Version } from '@/components/ui'
import type { NodeDto } from '@/lib/services/pools/node-dto'
import { StepBar } from './step-bar'
import { isRepeated, phaseWords, zoneWords } from './words'

/** Nodes of a pool, those that need somebody first; a name opens the node's steps. */
export function NodeTable({
  nodes,
  pool,
  href,
  selected,
}: {
  nodes: NodeDto[]
  pool: string
  href(node: string): string
  selected: string | null
}) {
  return (
    <Table stack label={`Nodes of ${pool}`} className="mt-2">
      <thead>
        <tr>
          <Th>node</Th>
          <Th>what it is at</Th>
          <Th>steps</Th>
          <Th wide>since</Th>
          <Th wide>release</Th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <Tr key={node.id} selected={node.name === selected}>
            <Td>
              <Link href={href(node.name)} scroll={false} className="hover:underline">
                <MiddleTruncate text={node.name} tail={14} className="max-w-64!" />
              </Link>
              {node.zone && <span className="block text-sm text-ink-3">{zoneWords(node.zone)}</span>}
            </Td>
            <Td>
              <div className="flex flex-wrap items-center gap-1.5">
                <PhaseChip node={node} />
                {node.stuck && <Chip tone="bad">stuck</Chip>}
                {node.since && (
                  <span className="text-sm text-ink-3 phone:hidden">
                    for <RelativeTime at={node.since} bare />
                  </span>
                )}
              </div>
              {!isRepeated(node.sentence) && (
                <p className="mt-0.5 max-w-[64ch] text-sm text-pretty wrap-anywhere text-ink-2">{node.sentence}</p>
              )}
            </Td>
            <Td>
              <StepBar steps={node.steps} />
            </Td>
            <Td wide>{node.since && <RelativeTime at={node.since} bare />}</Td>
            <Td wide>
              <Version>{node.release}</Version>
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}

function PhaseChip({ node }: { node: NodeDto }) {
  const { tone, words } = phaseWords(node)
  return <Chip tone={tone}>{words}</Chip>
}
