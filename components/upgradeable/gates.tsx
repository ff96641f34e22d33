import { NoPermission } from '@/components/openshift/no-permission'
import { Button, Chip, count, RelativeTime, Section } from '@/components/ui'
import type { GateDto } from '@/lib/services/upgradeable/get-cluster'
import { GateAction } from './gate-action'
import type { Doing } from './types'
import { GATES, wrongAck } from './words'

interface Props {
  gates: GateDto[]
  mayAct: boolean
  /** Why Drydock cannot write acknowledgements, whoever decides. */
  cannotWrite: string | null
  clusterId: string
  onDo(gate: GateDto, what: Doing): void
}

/** Gates that keep nothing closed: acknowledged, for another release, or no longer asked for. */
export function Gates({ gates, mayAct, cannotWrite, clusterId, onDo }: Props) {
  if (gates.length === 0) return null
  const hasButtons = mayAct && gates.some((gate) => isAcked(gate) || isAhead(gate))
  return (
    <Section title="Gates and acknowledgements" aside={count(gates.length, 'entry', 'entries')}>
      <ul className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line">
        {gates.map((gate) => (
          <li key={gate.name} data-row className="grid grid-cols-[minmax(0,1fr)] gap-1 py-3">
            <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
              <b className="font-mono text-sm font-medium wrap-anywhere">{gate.name}</b>
              <Chip tone={GATES[gate.state].tone}>{GATES[gate.state].words}</Chip>
            </p>
            {gate.text && <p className="max-w-[84ch] text-pretty wrap-anywhere text-ink-2">{gate.text}</p>}
            <p className="text-sm text-ink-3">{whoseWords(gate)}</p>
            {gate.action && gate.action.state !== 'seen' && <GateAction action={gate.action} />}
            {mayAct && !cannotWrite && <Buttons gate={gate} onDo={onDo} />}
          </li>
        ))}
      </ul>
      {hasButtons && cannotWrite && <NoPermission why={cannotWrite} clusterId={clusterId} />}
    </Section>
  )
}

const isAcked = ({ ack }: GateDto) => ack === 'true'
const isAhead = (gate: GateDto) => gate.ahead && !isAcked(gate)

function Buttons({ gate, onDo }: Pick<Props, 'onDo'> & { gate: GateDto }) {
  const [acknowledged, ahead] = [isAcked(gate), isAhead(gate)]
  if (!acknowledged && !ahead) return null
  return (
    <div>
      {acknowledged && (
        <Button small onClick={() => onDo(gate, 'withdraw')}>
          Take back
        </Button>
      )}
      {ahead && (
        <Button small onClick={() => onDo(gate, 'acknowledge')}>
          Acknowledge ahead
        </Button>
      )}
    </div>
  )
}

function whoseWords(gate: GateDto) {
  const { ackedWith: ours, ackedHere, ack, setBy, release } = gate
  return (
    <>
      {release && `For clusters of ${release}. `}
      {setBy && `Set by the operator ${setBy}. `}
      {ours && (
        <>
          Acknowledged by {ours.actorName} <RelativeTime at={ours.recordedAt} />
          {ours.reason && <>: “{ours.reason}”</>}.
        </>
      )}
      {!ours && ackedHere && 'Acknowledged from here; with which decision is not known.'}
      {!ours && !ackedHere && ack === 'true' && 'Acknowledged, not from here.'}
      {wrongAck(ack)}
    </>
  )
}
