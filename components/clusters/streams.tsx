import { count, EmptyState, RelativeTime, Section, Table, Td, Th, Tr } from '@/components/ui'
import type { ClusterDetail, StreamRow } from '@/lib/services/clusters/get-cluster'

const BAD = new Set(['backoff', 'stopped'])

/** One line per watch: how much it holds, how old it is, and why it is down where it is. */
export function Streams({
  streams,
  owner,
  away,
}: {
  streams: StreamRow[]
  owner: ClusterDetail['owner']
  /** No worker follows the cluster: what its streams are is what they were. */
  away: boolean
}) {
  const live = streams.filter((s) => s.state !== 'absent')
  const watching = away ? 0 : live.filter((s) => s.state === 'watching').length
  return (
    <Section
      title="Streams"
      aside={live.length > 0 ? `${watching} of ${count(live.length, 'watch', 'watches')} live` : undefined}
    >
      {live.length === 0 ? (
        <EmptyState title="No watch is running.">
          {owner
            ? 'The worker has taken this cluster and is about to list it.'
            : 'No worker has taken this cluster yet. Is the worker running?'}
        </EmptyState>
      ) : (
        <Table stack label="Streams">
          <thead>
            <tr>
              <Th>resource</Th>
              <Th>state</Th>
              <Th num wide>
                objects
              </Th>
              <Th num wide>
                events
              </Th>
              <Th num wide>
                relists
              </Th>
              <Th num>last heard</Th>
            </tr>
          </thead>
          <tbody>
            {live.map((stream) => (
              <Tr key={stream.resource}>
                <Td className="font-mono text-sm max-phone:break-all">{stream.resource}</Td>
                <Td className={away || BAD.has(stream.state) ? 'text-blocked' : 'text-ink-2'}>
                  {away ? `not followed (was ${stream.state})` : stream.state}
                  {stream.message && <span className="ml-2 text-sm">{stream.message}</span>}
                </Td>
                <Td num wide>
                  {stream.objects.toLocaleString('en-GB')}
                </Td>
                <Td num wide>
                  {stream.events.toLocaleString('en-GB')}
                </Td>
                <Td num wide>
                  {stream.relists}
                </Td>
                <Td num className="text-ink-2">
                  <RelativeTime at={stream.lastHeardAt} />
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Section>
  )
}
