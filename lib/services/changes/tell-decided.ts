import type { Decision } from '@/lib/db/generated/client'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'
import { sendEvent } from './events'
import { letGoByWords } from './let-go-by'
import { rejectedText } from './patch-for'

/** For people with kubectl, on the object: whoever wrote down that a decision is stored says so, once. */
export const tellDecided = (
  client: KubeClient,
  object: KubeObject,
  decision: Decision & { change: { summary: string } },
): Promise<void> =>
  decision.mode === 'reject'
    ? sendEvent(client, object, 'DrydockRejected', rejectedText({ ...decision, mode: 'reject' }))
    : sendEvent(client, object, 'DrydockReleased', `${decision.change.summary}: ${letGoByWords(decision)}`)
