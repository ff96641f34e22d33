import Link from 'next/link'
import { CodeBlock, Facts, pretty, RelativeTime, Section } from '@/components/ui'
import { absoluteTime } from '@/components/ui/time-words'
import type { DecisionCall } from '@/lib/services/changes/change-row'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { AskedOfIt, type Withdraw } from './asked'
import { Decided } from './decided'
import { heldWords } from './held-words'
import { placeWords } from './place-words'
import { nobodyDecides } from './standing-words'
import { ungovernedWords } from './ungoverned-words'
import { voidedWords } from './words'

const GOVERNS: Record<string, string> = {
  all: 'every group of this management cluster',
  'namespace-label': 'the groups in namespaces with a label',
  'object-label': 'the groups with a label',
}
const STATE: Record<string, string> = {
  recorded: 'recorded',
  applying: 'being applied',
  accepted: 'accepted by the cluster',
  seen: 'seen in the watch',
  failed: 'not accepted',
}

/** What holds the change, at what price, and who decided what so far. */
export function WhoDecides({ change, withdraw }: { change: UpdateDetail; withdraw: Withdraw }) {
  const { governance: g } = change
  const isHeld = change.state === 'waiting' || change.state === 'rejected'
  const { decision } = change
  const undecided =
    (change.state === 'running' || change.state === 'stuck') &&
    !change.decisions.some(({ mode, acceptedAt }) => mode !== 'reject' && acceptedAt !== null) &&
    (!decision || decision.mode === 'reject' || (decision.state === 'voided' && !decision.acceptedAt))
  const elsewhere = placeWords(change)
  const label = g?.labelKey ? ` (${g.labelKey})` : ''
  return (
    <Section title="Who decides">
      <div className="grid max-w-[88ch] grid-cols-[minmax(0,1fr)] gap-3">
        {elsewhere ? (
          <p className="text-ink-2">
            {elsewhere}
            {change.place === 'disconnected' && (
              <>
                {' '}
                <Link href={`/clusters/${change.clusterId}`} prefetch={false} className="underline">
                  What is left, and how to connect again
                </Link>
              </>
            )}
          </p>
        ) : g && g.governed ? (
          <p className="text-ink-2">
            Drydock governs {GOVERNS[g.governs] ?? g.governs}
            {g.labelKey && (
              <>
                {' '}
                (<code>{g.labelKey}</code>)
              </>
            )}
            .{' '}
            {isHeld ? (
              <>
                {g.reasonNeeded && 'Every decision asks for a reason. '}
                {g.latchForm === 'watch' ? (
                  'No latch guards it here: anybody who may edit the group can take its pause away.'
                ) : (
                  <>
                    People of the group <code>{g.breakGlass}</code> can release it in the cluster itself.
                  </>
                )}
              </>
            ) : undecided ? (
              'This one is under way without a decision made here: there is nothing to approve or to reject.'
            ) : null}
          </p>
        ) : (
          <p className="text-ink-2">
            Drydock does not govern this group: {ungovernedWords(change, isHeld)}
            {g &&
              g.governs !== 'none' &&
              ` It governs ${GOVERNS[g.governs] ?? g.governs}${label}; this is none of them.`}
          </p>
        )}
        <p className="text-ink-2">
          {heldWords(change)}
          {change.newer && (
            <>
              {change.ended === 'newer' ? ' The newest one is ' : ' A newer change of the group came since: '}
              <Link href={`/updates/${change.newer.id}`} prefetch={false} className="underline">
                {change.newer.summary}
              </Link>
              .
            </>
          )}
        </p>
        {(g?.governed || (isHeld && !elsewhere && nobodyDecides(change) === null)) && (
          <AskedOfIt change={change} withdraw={withdraw} />
        )}
        {change.decisions.length > 0 && (
          <Facts
            items={change.decisions.map((d) => [
              <RelativeTime key="at" at={d.recordedAt} />,
              <div key="what">
                <Decided decision={d} said={change.override?.reason ?? null} />{' '}
                <span className="text-ink-3">({d.state === 'voided' ? voidedWords(change, d) : STATE[d.state]})</span>
                {d.calls.length > 0 && (
                  <details>
                    <summary className="text-sm text-ink-3">What was sent and answered</summary>
                    <div className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-2">
                      {d.calls.map((call, i) => (
                        <CodeBlock
                          key={i}
                          label={callWords(call)}
                          text={call.answer ? `${pretty(call.body)}\n\n${call.answer}` : pretty(call.body)}
                        />
                      ))}
                    </div>
                  </details>
                )}
              </div>,
            ])}
          />
        )}
        <details>
          <summary className="text-sm text-ink-3">The change as it is stored</summary>
          <CodeBlock text={pretty(change.changeSet)} className="mt-1" />
        </details>
      </div>
    </Section>
  )
}

/** Of a try before the last one it is said when that was. */
export const callWords = ({ method, path, code, at, earlier }: DecisionCall): string =>
  `${earlier && at ? `Tried before, ${absoluteTime(new Date(at))}: ` : ''}${method} ${path}${code ? ` → ${code}` : ''}`
