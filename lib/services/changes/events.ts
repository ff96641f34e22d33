import { randomBytes } from 'node:crypto'
import { safeText } from '@/lib/domain/changes'
import type { KubeClient, KubeObject } from '@/lib/kubernetes/types'

/** What an event is about. */
export type Named = Pick<KubeObject, 'apiVersion' | 'kind'> & {
  metadata: Pick<KubeObject['metadata'], 'name' | 'namespace' | 'uid' | 'resourceVersion'>
}

export type EventReason =
  'DrydockHeld' | 'DrydockReleased' | 'DrydockRejected' | 'DrydockSkipsRemediation' | 'DrydockMindsRemediation'

const NORMAL: EventReason[] = ['DrydockReleased', 'DrydockSkipsRemediation', 'DrydockMindsRemediation']

/** A Kubernetes Event on the group, for people with kubectl. Events are a courtesy: a refusal of one changes nothing. */
export async function sendEvent(client: KubeClient, object: Named, reason: EventReason, text: string): Promise<void> {
  const { name, namespace, uid, resourceVersion } = object.metadata
  const now = new Date().toISOString()
  try {
    await client.create(
      { group: '', version: 'v1', plural: 'events' },
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: {
          name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`,
          namespace: namespace ?? 'default',
        },
        involvedObject: {
          apiVersion: object.apiVersion,
          kind: object.kind,
          name,
          namespace: namespace ?? '',
          uid,
          resourceVersion,
        },
        reason,
        message: safeText(text, 1000),
        type: NORMAL.includes(reason) ? 'Normal' : 'Warning',
        source: { component: 'drydock' },
        reportingComponent: 'drydock',
        reportingInstance: 'drydock',
        action: reason,
        eventTime: now.replace('Z', '000Z'),
        firstTimestamp: now.replace(/\.\d+Z$/, 'Z'),
        lastTimestamp: now.replace(/\.\d+Z$/, 'Z'),
        count: 1,
      },
      namespace ?? 'default',
      { timeoutMs: 5_000 },
    )
  } catch {
    // said above
  }
}
