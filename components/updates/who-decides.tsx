import { CodeBlock, Facts, pretty, RelativeTime, Section } from '@/components/ui'
import type { UpdateDetail } from '@/lib/services/fleet/list-updates'
import { voidedWords } from './words'

const GOVERNS: Record<string, string> = {
  all: 'every group of this management cluster',
  'namespace-label': 'the groups in namespaces with a label',
  'object-label': 'the groups with a label',
}
const DECISION: Record<string, string> = {
  'in-place': 'approved in place',
  replace: 'approved replacing',
  reject: 'rejected',
}
const STATE: Record<string, string> = {
  recorded: 'recorded',
  applying: 'being applied',
  accepted: 'accepted by the cluster',
  seen: 'seen in the watch',
  failed: 'not accepted',
}

/** What holds the change, at what price, and who decided what so far. */
export function WhoDecides({ change }: { change: UpdateDetail }) {
  const { governance: g } = change
  const label = g?.labelKey ? ` (${g.labelKey})` : ''
  return (
    <Section title="Who decides">
      <div className="grid max-w-[88ch] grid-cols-[minmax(0,1fr)] gap-3">
        {g && g.governed ? (
          <p className="text-ink-2">
            Drydock governs {GOVERNS[g.governs] ?? g.governs}
            {g.labelKey && (
              <>
                {' '}
                (<code>{g.labelKey}</code>)
              </>
            )}
            . One approval lets it go; {g.reasonNeeded ? 'a reason is asked for' : 'a reason may be given'}. People of
            the group <code>{g.breakGlass}</code> can release it in the cluster itself.
          </p>
        ) : (
          <p className="text-ink-2">
            Drydock does not govern this group: its changes go ahead by themselves.
            {g &&
              g.governs !== 'none' &&
              ` It governs ${GOVERNS[g.governs] ?? g.governs}${label}; this is none of them.`}
          </p>
        )}
        <p className="text-ink-2">{heldWords(change)}</p>
        {change.decisions.length > 0 && (
          <Facts
            items={change.decisions.map((d) => [
              <RelativeTime key="at" at={d.recordedAt} />,
              <div key="what">
                {d.actorName} {DECISION[d.mode]}
                {d.reason && <>: “{d.reason}”</>}{' '}
                <span className="text-ink-3">({d.state === 'voided' ? voidedWords(change, d) : STATE[d.state]})</span>
                {d.calls.length > 0 && (
                  <details>
                    <summary className="text-sm text-ink-3">What was sent and answered</summary>
                    <div className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-2">
                      {d.calls.map((call, i) => (
                        <CodeBlock
                          key={i}
                          label={`${call.method} ${call.path}${call.code ? ` → ${call.code}` : ''}`}
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

function heldWords({ heldBy, state, groupKind }: UpdateDetail): string {
  if (state !== 'waiting' && state !== 'rejected') return 'Nothing holds it any more.'
  if (heldBy === 'person')
    return 'Somebody paused the group, and it is not governed here: it moves as soon as that pause is taken away, whatever is decided here.'
  const side =
    groupKind === 'KubeadmControlPlane'
      ? 'it neither scales nor remediates its machines'
      : 'it does not scale, and new machine sets are not made'
  if (heldBy === 'latch')
    return `The API server itself paused the group in the write that brought the change. While it is held, ${side}; no outage of Drydock releases it.`
  return 'The update gate answers Cluster API with an error until it is decided; the group itself is not paused.'
}
