import { NoPermission } from '@/components/openshift/no-permission'
import { Answer, Button, Chip, CodeBlock, LinkButton, pretty, RelativeTime } from '@/components/ui'
import type { BlockerDto, GateDto, RemedyDto } from '@/lib/services/upgradeable/get-cluster'
import { GateAction } from './gate-action'
import { SAID, whoOf, wrongAck } from './words'

interface Props {
  blocker: BlockerDto
  gate: GateDto | undefined
  /** Its words and patches stand there at once. */
  unfolded: boolean
  mayAct: boolean
  /** Why Drydock cannot, whoever decides. */
  cannotWrite: string | null
  clusterId: string
  onDo(gate: GateDto): void
}

/** One reason: who says so, what it means, in whose words, and what can be done, with the exact patch. */
export function BlockerItem({ blocker, gate, unfolded, mayAct, cannotWrite, clusterId, onDo }: Props) {
  const { kind, name } = whoOf(blocker)
  const waits = gate?.state === 'waiting'
  const hasButton = waits && mayAct && !cannotWrite
  const remedies = blocker.remedies.filter(({ acknowledges }) => !(hasButton && acknowledges))
  const words = !waits && blocker.message !== '' && (
    <Answer said={blocker.reason ? `${blocker.reason}, in its own words:` : 'In its own words:'}>
      {blocker.message}
    </Answer>
  )
  return (
    <li
      data-row
      className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line bg-panel px-5 py-4 max-phone:px-4"
    >
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm text-ink-3">
        <span>{kind}</span>
        <b className="font-mono text-sm font-medium wrap-anywhere text-ink">{name}</b>
        {waits && <Chip tone="needs">waits for an administrator</Chip>}
        {SAID[blocker.said] && <Chip>{SAID[blocker.said]}</Chip>}
        {blocker.since && (
          <span>
            for <RelativeTime at={blocker.since} bare />
          </span>
        )}
      </p>
      <p className="text-pretty">{blocker.sentence}</p>
      {waits && wrongAck(gate.ack) && <p className="text-pretty wrap-anywhere">{wrongAck(gate.ack)}</p>}
      {waits && blocker.message && <Answer said="What is to be acknowledged:">{blocker.message}</Answer>}
      {waits &&
        (mayAct && cannotWrite ? (
          <NoPermission why={cannotWrite} clusterId={clusterId} />
        ) : mayAct ? (
          <div>
            <Button tone="primary" onClick={() => onDo(gate)}>
              Acknowledge
            </Button>
          </div>
        ) : (
          <p className="text-sm text-ink-3">Acknowledging needs the role operator.</p>
        ))}
      {gate?.action && gate.action.state !== 'seen' && <GateAction action={gate.action} />}
      {remedies.length === 0 ? (
        words
      ) : (
        <details open={unfolded}>
          <summary className="min-h-6 w-fit text-sm font-medium text-ink-2 pointer-coarse:min-h-11 pointer-coarse:leading-[44px]">
            {hasButton ? 'What else can be done' : 'What can be done'}
          </summary>
          <div className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-3">
            {words}
            {remedies.map((remedy) => (
              <Remedy key={remedy.sentence} remedy={remedy} />
            ))}
          </div>
        </details>
      )}
    </li>
  )
}

function Remedy({ remedy: { sentence, patch, link } }: { remedy: RemedyDto }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <p className="text-pretty text-ink-2">{sentence}</p>
      {patch && (
        <>
          <CodeBlock label={`PATCH ${patch.path}`} text={pretty(patch.body)} />
          <CodeBlock label="The same on a command line" text={patch.command} wrap />
        </>
      )}
      {link && (
        <div>
          <LinkButton small href={link.href}>
            {link.label}
          </LinkButton>
        </div>
      )}
    </div>
  )
}
