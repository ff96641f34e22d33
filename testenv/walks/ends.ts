import { setTimeout as sleep } from 'node:timers/promises'
import { db } from '@/lib/db/client'
import { PAUSED } from '@/lib/domain/latch/names'
import { acceptFailures } from '@/lib/services/changes/accept-failures'
import { approveChange } from '@/lib/services/changes/approve-change'
import { nextMachine } from '@/lib/services/changes/next-machine'
import { resumeChange } from '@/lib/services/changes/resume-change'
import { ServiceError } from '@/lib/services/errors'
import type { SandboxObject } from '@/sandbox/types'
import { ada } from '../timed'
import { KCP, MD } from '../suites/watching'
import { MACHINES, writePolicy } from './editing'
import type { Walked } from './known'
import type { GroupWords, Way } from './model'
import type { Walk } from './walk'

const END_MS = 150_000

type Row = NonNullable<Awaited<ReturnType<Walk['change']>>>['row']

/** What a person who wants it to end does about what keeps it. */
async function help(walk: Walk, name: string, row: Row, way: Way): Promise<void> {
  const { id: changeId, fingerprint } = row
  const from = Date.now()
  let said: Partial<GroupWords>
  if (row.stepWaitsAt) {
    await nextMachine(ada, { changeId, done: row.stepsDone, all: true, typedName: row.groupName })
    said = { steps: null }
  } else if (row.stoppedAt || (row.settling && row.state !== 'waiting')) {
    const stoppedAt = row.stoppedAt?.toISOString() ?? null
    await acceptFailures(ada, { changeId, stoppedAt, asDone: row.settling, again: false, reason: 'fine' })
    said = { acceptedAt: Infinity }
  } else if (row.pausedAt) {
    await resumeChange(ada, { changeId, typedName: row.groupName })
    said = { paused: false }
  } else if (['waiting', 'rejected'].includes(row.state) && !row.dueMode) {
    await approveChange(ada, { changeId, fingerprint, mode: way, typedName: name, reason: 'the end' })
    said = { approvals: { ada: { way, reason: true } }, steps: null, rejected: false, tookBack: false }
  } else if (row.state === 'stuck') return replaceEdited(walk, name, changeId)
  else return
  walk.tell(`at the end ${name} is helped on: ${JSON.stringify(said)}`)
  walk.story.group(from, name, ({ approvals }) => ({ ...said, approvals: { ...approvals, ...said.approvals } }))
}

/** What its row says of a machine that began as its template was edited. */
async function replaceEdited(walk: Walk, name: string, changeId: string): Promise<void> {
  const where = { changeId, message: { contains: 'Delete this Machine' }, finishedAt: null }
  for (const { machineName } of await db().machineProgress.findMany({ where })) {
    if (!walk.recorder.members(name).some(({ metadata: m }) => m.name === machineName && !m.deletionTimestamp)) continue
    walk.tell(`at the end ${machineName} is deleted, as is said of it`)
    walk.oracle.allow(name, 1, 1)
    await walk.admin.delete(MACHINES, machineName, walk.namespace)
  }
}

/** Why a group has not come to its end, after somebody did what can be done about it; null: it has. */
async function left(walk: Walk, { name, isPlane }: Walked, way: Way): Promise<string | null> {
  const { recorder, story } = walk
  const { wants, replicas, theirs } = story.now.groups[name]!
  const members = recorder.members(name)
  const isThrough = (m: SandboxObject) =>
    recorder.keyOfMachine(m) === wants && m.status?.phase === 'Running' && !m.metadata.deletionTimestamp
  const all = members.length === replicas && members.every(isThrough)
  // Where Drydock holds it as well, its guard lets nobody take a pause away before that hold is gone.
  if (theirs && !recorder.isHeld(name)) {
    const from = Date.now()
    const body = { metadata: { annotations: { [PAUSED]: null } } }
    await walk.admin.patch(isPlane ? KCP : MD, name, walk.namespace, 'merge', body)
    story.group(from, name, () => ({ theirs: false }))
  }
  const found = await walk.change(name)
  if (all && !recorder.isHeld(name) && !found) return null
  const stands = `${found?.row.state} ${found?.row.stuckReason ?? ''} held: ${recorder.isHeld(name)} all: ${all}`
  if (!found?.isNow) return stands
  try {
    await help(walk, name, found.row, way)
    return stands
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return `${stands}, refused: ${error.message}`
  }
}

/** All that holds is lifted: everything ends within its time. */
export async function ends(walk: Walk): Promise<void> {
  const { recorder, story, world } = walk
  walk.tell('the end begins')
  for (const at of ['all', ...walk.groups.map(({ name }) => name)])
    if (story.now.policies[at]) await writePolicy(walk, at, null)
  for (const { name } of walk.groups)
    for (const { metadata } of recorder.members(name)) world.failing.delete(metadata.name)
  const began = Date.now()
  const why = new Map<string, string>()
  for (let round = 0; Date.now() - began < END_MS; round++) {
    why.clear()
    for (const group of walk.groups) {
      const stands = await left(walk, group, round % 4 < 2 ? 'in-place' : 'replace')
      if (stands) why.set(group.name, stands)
    }
    if (why.size === 0) return walk.tell(`all ended after ${Date.now() - began} ms`)
    await sleep(1_500)
    walk.oracle.look()
  }
  for (const [name, stands] of why) walk.oracle.say(Date.now(), `${name} did not end: ${stands}`)
}
