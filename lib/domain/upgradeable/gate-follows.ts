import { minorOf } from '../skew/version'
import { releaseOf } from './gates'
import { knownGate } from './known-gates'
import { nextMinor } from './next-update'

export interface GateFollows {
  gate: string
  /** The acknowledgement is taken back. */
  withdraw: boolean
  /** Whether the gate is for the release that the cluster runs. */
  applies: boolean
  /** How many other reasons there are. */
  others: number
  desired: string | null
}

/** What follows where a gate is acknowledged, or no longer is: a sentence each. */
export function gateFollows({ gate, withdraw, applies, others, desired }: GateFollows): string[] {
  const minor = minorOf(desired ?? '') ?? 'this minor version'
  const known = knownGate(gate)
  if (!applies) {
    const release = releaseOf(gate)
    return [`The gate is for clusters of ${release ?? 'another release'}: nothing follows for one of ${minor}.`]
  }
  if (withdraw)
    return [
      `The Cluster Version Operator closes updates beyond ${minor} again, within seconds.`,
      'An update that is under way goes on.',
    ]
  return [
    others === 0
      ? `Updates beyond ${minor} open within seconds; none begins by itself.`
      : `Updates beyond ${minor} stay closed: ${others === 1 ? 'another reason is' : `${others} other reasons are`} left.`,
    `It says that somebody looked, for clusters of ${minor} only; the operator checks nothing. The next release asks for itself.`,
    ...(known ? [known.sentence] : []),
    ...(known?.byChoice
      ? [
          `In ${nextMinor(desired) ?? 'the next release'} it can still be chosen otherwise, but the images are updated until then.`,
        ]
      : []),
    'It can be taken back until the update begins.',
  ]
}
