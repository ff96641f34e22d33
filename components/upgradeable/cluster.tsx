'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getJson, problemFrom } from '@/components/live'
import { Chip, ErrorState, RelativeTime, Section } from '@/components/ui'
import type { GateDto, UpgradeableDto } from '@/lib/services/upgradeable/get-cluster'
import { BlockerItem } from './blocker'
import { Choices } from './choices'
import { GateSheet } from './gate-sheet'
import { Gates } from './gates'
import type { Doing, GateActions } from './types'
import { isCut, oldSince, reasonsOf, STATES } from './words'

interface Props {
  initial: UpgradeableDto
  mayAct: boolean
  actions: GateActions
  /** Where it is a part of a page about the cluster, which has a heading of its own. */
  part?: boolean
}

/** One cluster: whether updates to another minor version are open, why not, and the gates of its administrators. */
export function Upgradeable({ initial, mayAct, actions, part = false }: Props) {
  const { data, error } = useQuery({
    queryKey: ['gates', 'cluster', initial.clusterId],
    queryFn: ({ signal }) => getJson<UpgradeableDto>(`/api/upgradeable/${initial.clusterId}`, signal),
    initialData: initial,
    meta: { topics: ['boot-images', 'clusters'] },
  })
  const [doing, setDoing] = useState<{ gate: string; doing: Doing } | null>(null)
  const { tone, words } = STATES[data.state]
  const gateOf = new Map(data.gates.map((gate) => [gate.name, gate]))
  const shown = new Set(data.blockers.filter((b) => b.source === 'gate').map((b) => b.item))
  const Heading = part ? 'h2' : 'h1'
  const lastHeardAt = oldSince(data)
  return (
    <div className="grid max-w-[1040px] grid-cols-[minmax(0,1fr)]">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-ink-3">
        <span>
          <b className="font-medium text-ink-2">{data.name}</b>
          {data.version && ` · OpenShift ${data.version}`}
          {data.channel && ` · ${data.channel}`}
        </span>
        <Chip tone={tone}>{words}</Chip>
      </p>
      <Heading className="mt-1 max-w-[72ch] text-lg leading-snug font-[560] text-pretty">{data.sentence}</Heading>
      {lastHeardAt !== undefined && (
        <p className="mt-1 text-sm text-ink-2">
          Old data: last heard {lastHeardAt ? <RelativeTime at={lastHeardAt} /> : 'never'}.{' '}
          {isCut(data) && data.cluster.message}
        </p>
      )}
      {data.underway && (
        <p className="mt-1 text-ink-2">
          An update to <span className="font-mono text-sm">{data.underway.version}</span>{' '}
          {data.underway.since ? 'has been' : 'is'} under way
          {data.underway.since && (
            <>
              {' '}
              for <RelativeTime at={data.underway.since} bare />
            </>
          )}
          . {data.underway.message}
        </p>
      )}
      {unread(data).map((sentence) => (
        <p key={sentence} className="mt-1 text-ink-2">
          {sentence}
        </p>
      ))}
      {error && <ErrorState error={problemFrom(error)} className="mt-3" />}
      {data.blockers.length > 0 && (
        <Section title="What keeps them closed" aside={reasonsOf(data.blockers)}>
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
            {data.blockers.map((blocker) => (
              <BlockerItem
                key={blocker.key}
                blocker={blocker}
                gate={blocker.source === 'gate' ? gateOf.get(blocker.item) : undefined}
                unfolded={data.blockers.length <= FEW}
                mayAct={mayAct}
                cannotWrite={data.cannotWrite}
                clusterId={data.clusterId}
                onDo={(gate) => setDoing({ gate: gate.name, doing: 'acknowledge' })}
              />
            ))}
          </ul>
        </Section>
      )}
      <Choices choices={data.choices} state={data.state} />
      <Gates
        gates={data.gates.filter((gate) => !shown.has(gate.name))}
        mayAct={mayAct}
        cannotWrite={data.cannotWrite}
        clusterId={data.clusterId}
        onDo={(gate, what) => setDoing({ gate: gate.name, doing: what })}
      />
      {doing && (
        <GateSheet
          key={`${doing.doing} ${doing.gate}`}
          cluster={data}
          gate={gateOf.get(doing.gate) ?? gone(doing.gate)}
          doing={doing.doing}
          actions={actions}
          onClose={() => setDoing(null)}
        />
      )}
    </div>
  )
}

/** So many reasons are shown with everything; of more, each unfolds. */
const FEW = 3

function unread({ read, unheard }: UpgradeableDto): string[] {
  const sentence = (what: string) =>
    `The ${what} cannot be read: apply the RBAC that the page Clusters shows.${unheard ? '' : ' What ClusterVersion says still holds.'}`
  return [
    ...(read.gates === 'unreadable' ? [sentence('gates of administrators')] : []),
    ...(read.acks === 'unreadable' ? [sentence('acknowledgements of administrators')] : []),
    ...(read.operators === 'unreadable' ? [sentence('ClusterOperators')] : []),
  ]
}

/** A gate that went away while its sheet was open: the sheet stays and says what became of the decision. */
const gone = (name: string): GateDto => ({
  ...{
    name,
    text: '',
    state: 'no-gate',
    release: null,
    ack: null,
    firstSeenAt: '',
    setBy: null,
    ahead: false,
    action: null,
    ackedWith: null,
    ackedHere: false,
  },
})
