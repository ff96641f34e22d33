'use client'

import { useState } from 'react'
import { useAction } from '@/components/live'
import { Button, ErrorState, problemOf, Sentences, type Step } from '@/components/ui'
import type { ClusterDetail } from '@/lib/services/clusters/get-cluster'
import type { ClusterActions } from './actions'
import { Found } from './found'
import { KubeconfigField, Reading } from './kubeconfig-field'
import { VerbSheet } from './verb-sheet'
import { staysHeldWords } from './words'

interface Props {
  /** It was disconnected: the same, but it is connected by it. */
  again?: boolean
  cluster: ClusterDetail
  actions: ClusterActions
  onClose(): void
}

/** Another kubeconfig for the same cluster: read, tested, then put in the place of the old one. */
export function CredentialsSheet({ again, cluster, actions, onClose }: Props) {
  const [kubeconfig, setKubeconfig] = useState('')
  const [context, setContext] = useState('')
  // Whether the watch has come back is told by what it hears from now on.
  const [heardBefore] = useState(cluster.lastHeardAt)
  const inspect = useAction(actions.inspect)
  const test = useAction(actions.test)
  const replace = useAction(async (input: { clusterId: string; kubeconfig: string; context?: string }) => {
    const result = await actions.replace(input)
    return result.ok ? { ok: true as const, value: 'replaced' } : result
  })
  const input = { kubeconfig, context: context || undefined }
  const inspection = inspect.value
  const done = replace.value !== null

  const read = (text: string, chosen = '') => {
    setKubeconfig(text)
    setContext(chosen)
    test.reset()
    replace.reset()
    if (text.trim()) inspect.run({ kubeconfig: text, context: chosen || undefined })
    else inspect.reset()
  }
  return (
    <VerbSheet
      cluster={cluster}
      onClose={onClose}
      title={again ? `Connect ${cluster.name} again` : `Replace the credentials of ${cluster.name}`}
      label={again ? 'Connect again' : 'Replace credentials'}
      run={() => replace.run({ ...input, clusterId: cluster.id })}
      pending={replace.pending}
      blocked={!test.value && (inspection?.acceptable ? 'Test the connection first.' : '')}
      done={done}
      steps={done ? stepsOf(cluster, test.value?.identity.username, heardBefore) : null}
      error={
        replace.error && { ...replace.error, hint: replace.error.hint ?? problemOf(replace.error.fields, 'kubeconfig') }
      }
    >
      <Sentences
        title="What follows"
        items={[
          again
            ? 'It is watched again under its name: the policies that name it are for it again, and what is still governed there is decided here again.'
            : 'The watches begin anew with the new credentials; the old ones are forgotten.',
          staysHeldWords(cluster),
          ...(again && cluster.gate.state !== 'registered' && cluster.discovery?.clusterApi
            ? [
                'The update gate is not registered by it: until somebody does, Cluster API replaces machines without asking.',
              ]
            : []),
          'It must lead to the same cluster. If it comes as another user, repair the latch afterwards: its guard names the user that may release.',
        ]}
      />
      <div>
        <KubeconfigField value={kubeconfig} context={context} contexts={inspection?.contexts ?? []} onRead={read} />
        <ErrorState className="mt-4" error={inspect.error} />
        {inspection && <Reading inspection={inspection} />}
      </div>
      {inspection?.acceptable && (
        <div>
          <Button onClick={() => test.run(input)} pending={test.pending}>
            Test the connection
          </Button>
          <ErrorState className="mt-3" error={test.error} />
          {test.value && <Found found={test.value} className="mt-4" />}
        </div>
      )}
    </VerbSheet>
  )
}

function stepsOf(cluster: ClusterDetail, identity: string | undefined, heardBefore: string | null): Step[] {
  const watching = cluster.state === 'connected' && cluster.lastHeardAt !== heardBefore
  return [
    { label: 'Recorded', mark: 'done', words: 'sealed, and in the audit' },
    { label: 'Accepted by the cluster', mark: 'done', words: identity && `as ${identity}` },
    {
      label: 'Seen in the watch',
      mark: watching ? 'done' : 'waiting',
      words: watching ? '' : (cluster.stateMessage ?? 'waiting for the worker'),
    },
  ]
}
