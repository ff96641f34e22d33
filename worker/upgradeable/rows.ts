import { conditionOf } from '@/lib/domain/skew/types'
import type { ConfigData, Upgradeability, UpgradeFacts, UpgradeState } from '@/lib/domain/upgradeable/types'
import { unheardWords, type Unheard } from '@/lib/domain/unheard'
import type { KubeObject } from '@/lib/kubernetes/types'
import { text } from '@/lib/providers/openshift/loose'
import { readUnderway, readUpdates } from '@/lib/providers/openshift/operators'
import { readClusterVersion } from '@/lib/providers/openshift/readers'
import { writtenBy } from '@/lib/providers/written-by'

const RANK: Record<UpgradeState, number> = { closed: 30, closing: 20, unknown: 10, open: 0 }

/** A gate is one click away from being open: within its state it comes first. */
export const rankOf = (state: UpgradeState, gatesWaiting: number): number => RANK[state] + (gatesWaiting > 0 ? 1 : 0)

const readState = (data: ConfigData): string => (data === undefined ? 'unreadable' : data === null ? 'missing' : 'read')

interface Read {
  clusterVersion: KubeObject | undefined
  acks: KubeObject | undefined
  operatorsHeard: boolean
}

export type UpdateRows = ReturnType<typeof rowsOf>

/** What is kept of a cluster's updates. */
export function rowsOf(
  facts: UpgradeFacts,
  judged: Upgradeability,
  { clusterVersion, acks, operatorsHeard }: Read,
  unheard: Unheard | null = null,
) {
  const condition = unheard ? undefined : conditionOf(facts.conditions ?? [], 'Upgradeable')
  const gatesWaiting = judged.gates.filter((gate) => gate.state === 'waiting').length
  return {
    updates: {
      version: readClusterVersion(clusterVersion).version,
      desired: facts.desired,
      channel: text(clusterVersion, 'spec', 'channel') ?? null,
      state: judged.state,
      sentence: judged.sentence,
      form: judged.form,
      reason: condition?.reason ?? null,
      message: condition?.message ?? null,
      choices: unheard ? [] : readUpdates(clusterVersion),
      underway: unheard ? null : readUnderway(clusterVersion),
      overrides: [...facts.overrides],
      gatesRead: readState(facts.gates),
      acksRead: readState(facts.acks),
      operatorsRead: operatorsHeard ? 'read' : 'unreadable',
      acksVersion: acks?.metadata.resourceVersion ?? null,
      blockers: judged.blockers.filter(({ said }) => said !== 'no-longer').length,
      gatesWaiting,
      rank: rankOf(judged.state, gatesWaiting),
      unheardWhy: unheard && unheardWords(unheard),
    },
    blockers: judged.blockers.map((blocker, position) => ({
      key: [blocker.source, blocker.item || (blocker.source === 'other' ? position : '')].join('/'),
      position,
      ...blocker,
    })),
    gates: judged.gates.map((gate, position) => ({
      ...{ position, ...gate },
      ackedBy: gate.ack === null ? null : writtenBy(acks, ['data', gate.name]),
    })),
  }
}
