import type { Ctx } from '@/lib/services/context'
import { listRuns } from '@/lib/services/waves/list-runs'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { NOTHING, PEOPLE, type Action } from './action'
import type { Words } from './model'

/** Something is said of the waves of a run: whoever says it is shown how they stand. */
const ofRun =
  (
    what: string,
    verb: (who: Ctx, run: Run) => Promise<void>,
    said: (version: string) => (now: Words) => Partial<Words>,
  ): Action =>
  async (walk) => {
    const { runs } = await listRuns(PEOPLE[0])
    const of = runs.filter(({ policy, wish }) => policy.name === `walk-${walk.seed}-all` && wish.startsWith('version '))
    const run = walk.any(of.length > 0 ? of : [undefined])
    if (!run) return NOTHING
    walk.tell(`somebody ${what} ${run.wish}`)
    const from = Date.now()
    await verb(walk.any(PEOPLE), run)
    walk.story.push(from, (now) => ({ ...now, ...said(run.wish.split(' ')[1]!)(now) }))
  }
type Run = Awaited<ReturnType<typeof listRuns>>['runs'][number]
const runOf = ({ policy, wish }: Run) => ({ policyId: policy.id, wish })

export const skip = ofRun(
  'does not wait for the first wave of',
  (who, run) =>
    skipWave(who, {
      ...runOf(run),
      wave: 'first',
      bound: run.waves.find(({ name }) => name === 'first')?.bound,
      reason: 'now',
    }),
  (version) =>
    ({ skipped }) => ({ skipped: [...skipped, version] }),
)
export const stopRun = ofRun(
  'stops the waves of',
  (who, run) => stopWaves(who, runOf(run)),
  (version) =>
    ({ stopped }) => ({ stopped: [...stopped, version] }),
)
export const resumeRun = ofRun(
  'has the waves go on of',
  (who, run) => resumeWaves(who, runOf(run)),
  (version) =>
    ({ stopped }) => ({ stopped: stopped.filter((one) => one !== version) }),
)
