import type { DrainWait } from './drain'
import { firstLine } from './first-line'
import { degradedBecause } from './node-phase'
import { standingOf, type Releases } from './progress'
import { runningWords, type Step } from './steps'
import type { ConfigNode, Phase } from './types'

export interface NodeWords {
  sentence: string
  hint: string | null
  /** For sorting, the worst highest. */
  severity: number
}

const SEVERITY: Record<Phase, number> = {
  degraded: 90,
  draining: 40,
  updating: 40,
  rebooting: 40,
  paused: 20,
  pending: 10,
  updated: 0,
}

const NOW: Releases = { wanted: null, desired: null, clusterUpdating: false }

/** What a node is at, in one sentence, with what to do where there is something. */
export function nodeWords(
  node: ConfigNode,
  phase: Phase,
  step: Step | null,
  drain: DrainWait | null,
  releases: Releases = NOW,
): NodeWords {
  const severity = SEVERITY[phase]
  if (phase === 'degraded') return degraded(node, drain)
  if (drain?.failing) return { sentence: drain.sentence, hint: drain.hint, severity: 70 }
  if (step?.state === 'failed')
    return {
      sentence: `It failed while ${runningWords(step.type)}; it is tried again: ${firstLine(step.message ?? '')}`,
      hint: 'Read the log of machine-config-daemon on that node.',
      severity: 70,
    }
  if (phase === 'updated') return atRest(node, releases)
  if (phase === 'pending')
    return { sentence: outOfWork(node) ?? 'Waits for its turn.', hint: null, severity: isIll(node) ? 60 : severity }
  if (phase === 'paused') return { sentence: 'Stays as it is: its pool is paused.', hint: null, severity }
  if (drain) return { sentence: drain.sentence, hint: null, severity }
  if (step && step.state !== 'done') {
    const words = step.state === 'running' ? runningWords(step.type) : `about to go on with ${runningWords(step.type)}`
    return { sentence: `${words[0]!.toUpperCase()}${words.slice(1)}.`, hint: null, severity }
  }
  if (phase === 'rebooting') return { sentence: 'Rebooting.', hint: null, severity }
  return {
    sentence:
      node.state === 'Working'
        ? 'Taking up its configuration.'
        : 'Told to take up a configuration; its daemon has not begun.',
    hint: null,
    severity,
  }
}

/** Its drain is tried again and again, whatever it is called by then. */
const STILL_TRIED = 'Degraded after an hour, and still tried: '
const CANNOT = 'It cannot take up its configuration: '

/** What its operator itself says in the sentence of a degraded node; null: nothing. */
export function operatorsWords(sentence: string): string | null {
  const before = [STILL_TRIED, CANNOT].find((words) => sentence.includes(words))
  const said = before === undefined ? '' : sentence.slice(sentence.indexOf(before) + before.length)
  return said === '' || said === NO_REASON ? null : said
}
const NO_REASON = 'it gives no reason'

function degraded(node: ConfigNode, drain: DrainWait | null): NodeWords {
  const because = degradedBecause(node)
  const said = because ? firstLine(because) : NO_REASON
  if (drain?.failing) return { sentence: `${drain.sentence} ${STILL_TRIED}${said}`, hint: drain.hint, severity: 90 }
  const sentence = `${CANNOT}${said}`
  return {
    sentence,
    hint: 'Read the log of machine-config-daemon on that node; it goes on by itself once the cause is gone.',
    severity: 90,
  }
}

function atRest(node: ConfigNode, releases: Releases): NodeWords {
  const out = outOfWork(node)
  const has = asWanted(releases)
  return out
    ? { sentence: `${has} ${out}`, hint: null, severity: isIll(node) ? 60 : 15 }
    : { sentence: has, hint: null, severity: 0 }
}

/** While an update of the cluster begins, a node that is as its pool wants it has what came before. */
function asWanted(releases: Releases): string {
  const standing = standingOf(releases)
  if (standing === 'now') return 'Up to date.'
  return standing === 'before'
    ? `With what came before ${releases.wanted}.`
    : 'Whether it is up to date cannot be told.'
}
const AS_WANTED = /^(Up to date|With what came before \S+|Whether it is up to date cannot be told)\. ?/

/** What is said of a node beside that it is as its pool wants it; empty: nothing. */
export const besideAsWanted = (sentence: string): string => sentence.replace(AS_WANTED, '')

const isIll = ({ ready, pressure }: ConfigNode): boolean => !ready || pressure.length > 0

const outOfWork = (node: ConfigNode): string | null =>
  !node.ready
    ? 'It is not Ready, and counts against maxUnavailable.'
    : node.pressure.length > 0
      ? `It reports ${node.pressure.join(' and ')}, and counts against maxUnavailable.`
      : !node.schedulable
        ? 'Somebody cordoned it; it counts against maxUnavailable.'
        : null
