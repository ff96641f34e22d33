import { VerdictChip } from '@/components/ui'
import { VERDICTS } from '@/lib/domain/verdict'
import type { MachineDto } from '@/lib/services/machines/list-machines'

/**
 * What an update of its group does to it. What never became a node is not up to date by being as its group wants it. `behind`: its node
 * has not the configuration that its pool wants. A machine set changes no machine that is there, whatever its template says by now.
 */
export function MachineVerdict({
  machine,
  behind = false,
}: {
  machine: Pick<MachineDto, 'verdict' | 'state' | 'node'>
  behind?: boolean
}) {
  const verdict = VERDICTS.find((one) => one === machine.verdict) ?? 'unknown'
  if (verdict !== 'up-to-date') return <VerdictChip verdict={verdict} />
  if (machine.state === 'failed' && machine.node === null)
    return <VerdictChip verdict="unknown">never joined</VerdictChip>
  return <VerdictChip verdict={verdict}>{behind ? 'its machine set leaves it as it is' : undefined}</VerdictChip>
}
