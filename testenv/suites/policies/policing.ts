import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { HELD } from '@/lib/domain/latch/names'
import type { PolicySpec } from '@/lib/domain/policies'
import type { KubeObject } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import type { DecisionDto } from '@/lib/services/changes/change-row'
import type { Ctx } from '@/lib/services/context'
import { savePolicy } from '@/lib/services/policies/save-policy'
import { until } from '../../process'
import { cy, FROZEN } from '../../timed'
import { uids, versionOf, type ChangeRow, type Deadlines } from '../governing'
import { Turning, type Group } from '../turning'
import { annotation } from '../watching'

export const [NEW, NEXT] = ['v1.34.1', 'v1.34.2'] as const
/** Open since an hour, and for another one. */
export const OPEN = { windows: FROZEN.freezes }

export interface PoliciesTimes extends Deadlines {
  /** How long the slow updater takes: longer than until what is under way is held again. */
  updateMs: number
}

type Rules = Omit<PolicySpec, 'select'>

export interface Said {
  id: string
  name: string
  /** Writes it anew, as somebody does in the editor. */
  now(rules: Rules): Promise<void>
}

/** What the topics share: policies for a group alone, what people say of it, and how far it came. */
export class Policing extends Turning {
  async says(groups: readonly Group[], rules: Rules): Promise<Said> {
    const select = { names: groups.map(({ name }) => name) }
    const name = `${groups[0]!.name}-${randomBytes(3).toString('hex')}`
    const first = await savePolicy(cy, { name, spec: { select, ...rules } })
    let { version } = first
    const now = async (other: Rules) => {
      const spec = { select, ...other }
      version = (await savePolicy(cy, { policyId: first.id, version, name, spec })).version
    }
    return { id: first.id, name, now }
  }

  /** A person says it of what waits now. */
  async approves(
    who: Ctx,
    group: Group,
    { mode = 'in-place', ...more }: { mode?: 'in-place' | 'replace'; to?: string; reason?: string } = {},
  ): Promise<DecisionDto> {
    const { id, fingerprint } = await this.approvable(group.w, group.name, mode, more.to)
    return approveChange(who, { changeId: id, fingerprint, mode, reason: more.reason })
  }

  /** Approved in place by one, and the first of its machines is at work. */
  async goes(who: Ctx, group: Group, to: string): Promise<string> {
    const { changeId, state, error } = await this.approves(who, group, { to })
    expect({ state, error }).toMatchObject({ state: expect.stringMatching(/accepted|seen/) as string, error: null })
    await this.begins(group, to)
    return changeId
  }

  async begins(group: Group, to: string): Promise<void> {
    const begun = async () => (await this.at(group, to)) > 0
    await until(`${group.name} to begin`, begun, { ms: this.times.deadlineMs, every: 50 })
  }

  /** The hold is back in the middle of the rollout, and what was approved waits with its approvals, or (`due` null) for others. */
  async heldAgain(group: Group, why: RegExp, due: string | null = 'in-place', extraMs = 0): Promise<ChangeRow> {
    let change: ChangeRow | undefined
    const held = async () => {
      ;[change] = await this.changes(group.w, group.name)
      const words = annotation(await this.read(group), HELD) ?? ''
      return why.test(words) && change?.state === 'waiting' && change.dueMode === due
    }
    await until(`${group.name} to be held again: ${why}`, held, { ms: this.times.deadlineMs + extraMs, every: 100 })
    return change!
  }

  /** What was under way is through; those with these versions are what is there, and nothing else moves. */
  async stays(group: Group, ...versions: string[]): Promise<void> {
    await this.comesToRest(group, this.times.deadlineMs)
    await this.staysAsItIs(group, this.times.watchMs)
    expect((await this.members(group)).map(versionOf).sort()).toEqual(versions.sort())
  }

  /** To its end, on the machines that were there. */
  async endsInPlace(group: Group, before: KubeObject[], to: string): Promise<ChangeRow> {
    const done = await this.change(group.w, group.name, ['done'], to)
    expect(done.outcome).toMatchObject({ updatedInPlace: before.length, created: 0, deleted: 0 })
    const now = await this.members(group)
    expect(uids(now)).toEqual(uids(before))
    expect(now.map(versionOf)).toEqual(now.map(() => to))
    return done
  }
}

/** What a topic is given. */
export interface Topic {
  g(): Policing
  of(name: string): Group
  times: PoliciesTimes
}
