import type { ChipTone } from '@/components/ui'
import type { ApprovalDto, ChangePolicy, PolicyProblem } from '@/lib/services/changes/policy-of-change'
import { stepWords } from '@/lib/domain/control-plane'
import { utc } from '@/lib/domain/policies'
import type { TimingDto } from '@/lib/services/policies/timing'
import type { ListedStanding } from '@/lib/services/changes/standing'

export type Asked = ChangePolicy | PolicyProblem

export const isKnown = (asked: Asked): asked is ChangePolicy => 'rules' in asked

/** As lists have it. Null: what is asked for is not known. */
export const listedOf = (asked: Asked): ListedStanding | null => (isKnown(asked) ? asked.listed : null)

const approvals = (n: number): string => `${n} approval${n === 1 ? '' : 's'}`

/** What a change waits for, as a chip says it. */
export function waitsFor(standing: ListedStanding | null | undefined): { words: string; tone: ChipTone } {
  if (!standing) return { words: 'Waiting for approval', tone: 'needs' }
  const { given, needed, forbidden, due, timing } = standing
  if (forbidden) return { words: 'Its policy does not allow it', tone: 'bad' }
  if (due && timing.step && !timing.paused && !timing.stopped)
    return { words: `${timing.step.done} of ${timing.step.of} done, the next one waits`, tone: 'needs' }
  if (due && timing.shape?.stuck) return { words: 'Approved, and its group is not as its policy says', tone: 'bad' }
  if (due && timing.stopped) return { words: 'Stopped by itself', tone: 'bad' }
  if (due) return { words: `Approved, ${goes(timing)}`, tone: 'plain' }
  if (given >= needed) return { words: 'Enough approvals by now', tone: 'needs' }
  if (given > 0) return { words: `${Math.min(given, needed)} of ${approvals(needed)}`, tone: 'needs' }
  return { words: `Waiting for ${approvals(needed)}`, tone: 'needs' }
}

/** When what is approved goes by itself. */
export const goes = ({ open, opens, why, paused, stopped, step, wave }: TimingDto): string =>
  paused
    ? `paused by ${paused.by}`
    : stopped
      ? `stopped by the policy ${stopped.policy}`
      : step
        ? 'the next machine waits for somebody'
        : why === 'wave' && !opens
          ? wave?.place
            ? `in wave ${wave.place.index + 1} of ${wave.place.of}`
            : 'for its wave'
          : why === 'hook'
            ? 'goes when it gets the version'
            : open || why === 'shape'
              ? 'about to start'
              : opens
                ? `goes ${utc(opens)}`
                : why === 'freeze'
                  ? 'frozen'
                  : 'no window is known'

/** Why machines may not move now, in one sentence. */
export function closedWords({ why, span, policy, opens, paused, stopped, step, wave, shape }: TimingDto): string {
  if (paused) return `${paused.by} has paused it${paused.reason ? `: “${paused.reason}”` : ''}.`
  if (stopped) return `It stopped by itself: ${stopped.why} (policy ${stopped.policy}).`
  if (step) return `${stepWords(step)}.`
  if (why === 'wave' && wave) return waveWords(wave)
  if (why === 'hook') return 'It goes on as it is until Cluster API gives it the version of its Cluster.'
  if (why === 'shape') return `It waits for its group: ${shape?.words}.`
  const when = opens ? `until ${utc(opens)}` : 'and nothing says when that ends'
  if (why === 'freeze') return `The policy ${policy} freezes it${span?.why ? ` (${span.why})` : ''}, ${when}.`
  return `It is outside the windows of the policy ${policy}, ${when}.`
}

/** "It is in wave 2 of 3 (few) of the policy prod, which waits: canary is not through: a/w (under way)." */
function waveWords({ policy, place }: NonNullable<TimingDto['wave']>): string {
  if (!place) return `Its policy ${policy.name} has waves; which one it is in is found in a moment.`
  const which = `It is in wave ${place.index + 1} of ${place.of} (${place.name}) of the policy ${policy.name}`
  return place.state === 'stopped' ? `${which}, and ${place.why}.` : `${which}, which waits: ${place.why}.`
}

/** What this person is to it, in one sentence under the buttons; empty: nothing of note. */
export function yoursWords(asked: Asked): string {
  if (!isKnown(asked)) return ''
  if (asked.own) return 'You wrote it: somebody else has to approve it.'
  const mine = asked.approvals.findLast(({ mine: is, endedAt }) => is && endedAt === null)
  if (!mine) return 'Yours to approve.'
  if (asked.listed.due)
    return asked.listed.timing.step
      ? 'It is approved: all that is asked for is the next machine.'
      : asked.listed.timing.paused
        ? 'It is approved, and goes on when somebody resumes it.'
        : 'It is approved: nothing more is asked of anybody.'
  const { missing, needed } = asked.ways[mine.mode]
  const way = mine.mode === 'in-place' ? 'in place' : 'replacing'
  return `You approved it ${way}; ${missing === 0 ? 'by the policies of now that is enough: approve it once more to let it go' : `${missing} more of ${needed} ${missing === 1 ? 'is' : 'are'} needed`}.`
}

/** Of how many it is one, before somebody approves. */
export function oneOfWords(asked: Asked, mode: 'in-place' | 'replace'): string | null {
  if (!isKnown(asked)) return null
  const { needed, missing, oneMore } = asked.ways[mode]
  if (needed === 1) return null
  const mine = asked.approvals.some((a) => a.mine && a.mode === mode && a.endedAt === null)
  const left = missing - (mine ? 0 : 1)
  const why = oneMore ? ' Who wrote the change is not known, so one more is asked for than the policy says.' : ''
  return `${approvals(needed)} let it go. ${left > 0 ? `With yours, ${left} more ${left === 1 ? 'is' : 'are'} missing: nothing moves yet.` : 'Yours is the last that is missing.'}${why}`
}

const ENDS: Record<string, string> = {
  withdrawn: 'taken back',
  rejected: 'ended by a rejection',
  anew: 'given anew afterwards',
  fewer: 'over: fewer machines were wanted afterwards, which this person had not seen',
  void: 'over with the decision it was a part of',
}

/** What an approval is now: "stands", "expired", "taken back". */
export function approvalState(
  { endedWhy, endedAt, expiresAt, counts }: Pick<ApprovalDto, 'endedWhy' | 'endedAt' | 'expiresAt' | 'counts'>,
  now: number,
): string {
  if (endedAt) return ENDS[endedWhy ?? ''] ?? 'over'
  if (expiresAt && Date.parse(expiresAt) <= now) return 'expired'
  return counts ? 'stands' : 'does not count: this person may not approve, or not this'
}

/** Before somebody approves what may not move now. */
export const notNowWords = (timing: TimingDto): string | null =>
  timing.open
    ? null
    : `${closedWords(timing)} What is approved now goes by itself when ${timing.paused ? 'somebody resumes it' : timing.stopped || timing.step ? 'somebody lets it go on' : timing.why === 'wave' ? 'its wave is open' : timing.why === 'hook' ? 'it gets the version' : 'its time comes'}.`
