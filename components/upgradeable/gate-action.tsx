import { ActionTicks } from '@/components/openshift/action-ticks'
import type { ActionDto } from '@/lib/services/openshift/action-row'

export const SEEN = 'Seen in the watch, and taken up'

/** How far a decision on a gate has come. */
export const GateAction = ({ action }: { action: ActionDto }) => <ActionTicks action={action} seenLabel={SEEN} />
