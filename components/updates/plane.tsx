import clsx from 'clsx'
import Link from 'next/link'
import { MiddleTruncate, RelativeTime, Section, Table, Td, Th, Tr, Version } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import type { PlaneDto, PlaneMachineDto } from '@/lib/services/changes/plane'
import type { Left } from './next-words'

const UNDER_WAY: UpdateDetail['state'][] = ['approved', 'running', 'stuck']
const MEMBER: Record<PlaneMachineDto['member'], string> = {
  healthy: 'healthy',
  ill: 'not healthy',
  unknown: 'not known',
  joining: 'no member yet',
  gone: 'taken out',
}
const COMPONENTS: Record<PlaneMachineDto['components'], string> = {
  healthy: 'healthy',
  ill: 'not healthy',
  unknown: 'not known',
}
const WAYS: Record<string, string> = {
  'in-place': 'is to be updated',
  'in-place-with-spare': 'is to be updated',
  replace: 'is to be replaced',
  'up-to-date': 'stays',
}

/** What Cluster API looks at before each step of a control plane, machine by machine, and how etcd stands. */
export function Plane({ change: { plane, state } }: { change: Pick<UpdateDetail, 'plane' | 'state'> }) {
  if (!plane) return null
  return (
    <Section title="Control plane">
      {plane.noneToSpare && UNDER_WAY.includes(state) && (
        <p className="mb-2 max-w-[88ch] rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 text-pretty">
          {spareWords(plane)}
        </p>
      )}
      <EtcdWords plane={plane} said={plane.noneToSpare !== null && UNDER_WAY.includes(state)} />
      <div className="mt-2">
        <Table stack label="Machines of this control plane">
          <thead>
            <tr>
              <Th>machine</Th>
              <Th>etcd member</Th>
              <Th>components</Th>
              <Th>now</Th>
              <Th wide>version</Th>
              <Th wide>failure domain</Th>
            </tr>
          </thead>
          <tbody>
            {plane.machines.map((machine) => (
              <Tr key={machine.id}>
                <Td className="max-w-[300px]">
                  <Link href={`/machines?machine=${machine.id}`} prefetch={false} className="hover:underline">
                    <MiddleTruncate text={machine.name} />
                  </Link>
                  {machine.words && <span className="block text-sm wrap-anywhere text-ink-2">{machine.words}</span>}
                </Td>
                <Td className={machine.member === 'ill' ? 'text-blocked' : ''}>
                  <Phone>etcd </Phone>
                  {plane.etcd === 'external' && !plane.leaves ? 'external' : MEMBER[machine.member]}
                </Td>
                <Td className={machine.components === 'ill' ? 'text-blocked' : ''}>
                  <Phone>components </Phone>
                  {COMPONENTS[machine.components]}
                </Td>
                <Td>{nowOf(machine)}</Td>
                <Td wide>{machine.version && <Version>{machine.version}</Version>}</Td>
                <Td wide className="font-mono text-sm text-ink-2">
                  {machine.failureDomain ?? ''}
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Section>
  )
}

/** Where there are no headings. */
const Phone = ({ children }: { children: string }) => (
  <span className="hidden text-ink-3 max-phone:inline">{children}</span>
)

const nowOf = ({ going, verdict }: PlaneMachineDto): string =>
  going === 'deleting' ? 'is being deleted' : going === 'updating' ? 'is being updated' : (WAYS[verdict] ?? '')

/** While its manager is paused, as that saw it last: a member may be ill since. */
export function etcdLine(
  { frozen, words, wordsOf }: Pick<PlaneDto, 'frozen' | 'words' | 'wordsOf'>,
  way: Left['how'] = 'either',
  but: readonly string[] = [],
): string {
  const said = (way === 'either' ? words : wordsOf[way]).filter((one) => !but.includes(one)).join(' ')
  return frozen ? `As its manager saw it last: ${said}` : said
}

/** Why no other machine begins. The ill one that Cluster API takes first, or may take next, waits for nobody; for another one everything waits. */
export const spareWords = ({
  noneToSpare,
  unasked,
  mayGo,
  waits,
}: Pick<PlaneDto, 'noneToSpare' | 'unasked' | 'mayGo' | 'waits'>): string =>
  unasked
    ? `${unasked} Until that is over no other machine begins: ${noneToSpare}.`
    : (waits ?? mayGo)
      ? `${waits ?? mayGo} Until then no other machine begins: ${noneToSpare}.`
      : `No other machine begins: ${noneToSpare}. It goes on by itself when that is over.`

/** That somebody lets it go takes no machine's turn: the update gate, and its manager, wait all the same. Null: nothing waits, or it is told beside. */
export const waitsAllTheSame = (
  plane: Pick<PlaneDto, 'etcd' | 'noneToSpare' | 'unasked' | 'mayGo' | 'waits'> | null,
): string | null =>
  plane?.noneToSpare && plane.etcd && !plane.unasked && !plane.mayGo && !plane.waits
    ? 'Let go, it waits all the same until etcd has a member to spare, and goes on by itself then: make that member well first.'
    : null

/** What stands against it as somebody lets it go. */
export function Risks({ risks, plane }: { risks: readonly string[]; plane: PlaneDto | null }) {
  const waits = waitsAllTheSame(plane)
  return (
    <>
      {risks.map((risk) => (
        <p key={risk} className="font-medium wrap-anywhere">
          {risk}
        </p>
      ))}
      {waits && <p className="text-pretty">{waits}</p>}
    </>
  )
}

/** How etcd stands, and how old that is. `way`: how its machines go; either: both ways may come. `said`: what becomes of the ill one is told already; `but`: what stands above it. */
export function EtcdWords({
  plane,
  way = 'either',
  said,
  but,
}: {
  plane: PlaneDto
  way?: Left['how']
  said?: boolean
  but?: readonly string[]
}) {
  const told = plane.unasked ?? plane.waits ?? plane.mayGo
  return (
    <div className="max-w-[88ch]">
      {plane.hangs && (
        <p className="mb-2 rounded-md border border-blocked/40 bg-blocked-soft px-3 py-2 text-pretty wrap-anywhere">
          {plane.hangs} is being deleted, and that does not end while its control plane is held: the manager, which
          takes its member out of etcd, is paused. Decide soon.
        </p>
      )}
      {told && !said && <p className="mb-1 font-medium text-pretty wrap-anywhere">{told}</p>}
      <p className="text-pretty">{etcdLine(plane, way, but)}</p>
      <p className="mt-1 text-sm text-pretty text-ink-3">
        <HowOld frozen={plane.frozen} /> Before each {plane.unasked ? 'other ' : ''}machine Cluster API looks at all of
        this anew, and waits while {told ? 'something of it' : 'another one'} is not healthy.
      </p>
      {!told && (
        <p className={clsx('mt-1 text-pretty', plane.frozen ? 'font-medium' : 'text-sm text-ink-3')}>{ILL_FIRST}</p>
      )}
    </div>
  )
}

const ILL_FIRST =
  'An old machine that is not well by then is deleted first, and made anew: Cluster API asks nobody about that.'

function HowOld({ frozen }: Pick<PlaneDto, 'frozen'>) {
  if (!frozen) return 'Its manager said so last; it looks whenever a machine changes, and every ten minutes.'
  if (!frozen.since) return 'It is paused, and its manager does not look: since when is not known.'
  return (
    <>
      Its manager has not looked since it was paused <RelativeTime at={frozen.since} />: all but whether nodes are ready
      is as old as that.
    </>
  )
}
