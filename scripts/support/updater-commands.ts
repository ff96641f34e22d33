import { parseArgs } from 'node:util'
import { groupsSentence } from '@/components/updaters/words'
import { db } from '@/lib/db/client'
import type { Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { checkUpdater } from '@/lib/services/updaters/check-updater'
import { listUpdaters, type UpdaterDto } from '@/lib/services/updaters/list-updaters'
import { moveUpdater } from '@/lib/services/updaters/move-updater'
import { removeUpdater } from '@/lib/services/updaters/remove-updater'
import { closeUpdaters } from '@/lib/services/updaters/transport'
import { updateUpdater } from '@/lib/services/updaters/update-updater'
import { clusterByName, one, wronglyCalled, type Command } from './admin-arguments'
import { readText } from './read-text'

const CLUSTER = { cluster: { type: 'string' } } as const
const WHERE = { url: { type: 'string' }, ca: { type: 'string' } } as const
const GROUPS = {
  namespace: { type: 'string', multiple: true },
  kind: { type: 'string', multiple: true },
  'workload-cluster': { type: 'string', multiple: true },
} as const
const GROUPS_USAGE = '[--namespace NAME]… [--kind KIND]… [--workload-cluster NAME]…'
const WHICH = 'updater, by its name'

async function updaterByName(name: string): Promise<string> {
  const updater = await db().updater.findUnique({ where: { name }, select: { id: true } })
  if (!updater) throw new ServiceError('not-found', `There is no updater ${name}.`)
  return updater.id
}

/** In the form of the verbs; undefined: nothing of it was given. */
function groupsIn(values: { namespace?: string[]; kind?: string[]; 'workload-cluster'?: string[] }) {
  const { namespace: namespaces, kind: kinds, 'workload-cluster': workloadClusters } = values
  return namespaces || kinds || workloadClusters ? { namespaces, kinds, workloadClusters } : undefined
}

/** Places are counted from 1 where people see them, as the list does. */
function place(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text) - 1
  throw wronglyCalled('A place is a number from 1 on, as updater:list shows it.')
}

const authority = (file: string | undefined) =>
  file === undefined ? undefined : readText(file, 'certificate authority')
const clusterIn = async (name: string | undefined) => (name === undefined ? undefined : clusterByName(name))

function health({ health: { askedAt, ms, failingSince, error } }: UpdaterDto): string {
  if (!askedAt) return 'not asked yet'
  return failingSince ? `failing since ${failingSince}: ${error}` : `answers (${askedAt}, ${ms} ms)`
}

async function list(ctx: Ctx, cluster: string | undefined, say: (line: string) => void): Promise<void> {
  const updaters = await listUpdaters(ctx, { clusterId: await clusterIn(cluster) })
  const names = new Map(
    (await db().managementCluster.findMany({ select: { id: true, name: true } })).map(({ id, name }) => [id, name]),
  )
  for (const [i, updater] of updaters.entries()) {
    const where = updater.clusterId ? names.get(updater.clusterId) : 'every management cluster'
    say(
      `${i + 1}. ${[updater.name, updater.url, `${groupsSentence(updater.groups)} of ${where}`, health(updater)].join('  ')}`,
    )
  }
  if (updaters.length === 0) say('No updater is configured: nothing can be changed in place.')
}

/** The connections to updaters end with the command. */
const closing = (command: Command): Command => ({
  ...command,
  run: (...input) => command.run(...input).finally(closeUpdaters),
})

export const UPDATER_COMMANDS: Record<string, Command> = {
  'updater:list': {
    usage: '[--cluster NAME]',
    what: 'list the updaters in the order in which they are asked, with how they fare',
    run: async (ctx, args, say) => {
      await list(ctx, parseArgs({ args, options: CLUSTER }).values.cluster, say)
      return 0
    },
  },
  'updater:add': closing({
    usage: `NAME --url URL --ca FILE [--cluster NAME] [--position N] ${GROUPS_USAGE}`,
    what: 'add an updater after it has answered (- for stdin; without --cluster: for every management cluster)',
    run: async (ctx, args, say) => {
      const options = { ...WHERE, ...CLUSTER, ...GROUPS, position: { type: 'string' } } as const
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
      const name = one(positionals, WHICH)
      const at = values.position === undefined ? undefined : place(values.position)
      const clusterId = await clusterIn(values.cluster)
      // The place in the list of that cluster; past its end: the last.
      const position = at === undefined ? undefined : (await listUpdaters(ctx, { clusterId }))[at]?.position
      const { url, ca } = values
      await addUpdater(ctx, { name, url, caPem: authority(ca), clusterId, position, groups: groupsIn(values) })
      say(`Added ${name}. What waits is asked about anew.`)
      return 0
    },
  }),
  'updater:edit': closing({
    usage: `NAME [--url URL] [--ca FILE] [--all-groups | ${GROUPS_USAGE}]`,
    what: 'change where it is or which groups it is for, after it has answered; groups given replace the whole selection',
    run: async (ctx, args, say) => {
      const options = { ...WHERE, ...GROUPS, 'all-groups': { type: 'boolean' } } as const
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
      const name = one(positionals, WHICH)
      const some = groupsIn(values)
      if (values['all-groups'] && some) throw wronglyCalled('Say either --all-groups or which ones.')
      const groups = values['all-groups'] ? {} : some
      const { url, ca } = values
      if (url === undefined && ca === undefined && !groups) throw wronglyCalled('Say what to change.')
      await updateUpdater(ctx, { updaterId: await updaterByName(name), url, caPem: authority(ca), groups })
      say(`Changed ${name}. What waits is asked about anew.`)
      return 0
    },
  }),
  'updater:move': {
    usage: 'NAME up|down|PLACE [--cluster NAME]',
    what: 'move it in the order; with --cluster in that of one management cluster',
    run: async (ctx, args, say) => {
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options: CLUSTER })
      const [name, to, ...more] = positionals
      if (!name || !to || more.length > 0) throw wronglyCalled('Say which updater, and up, down or a place.')
      const clusterId = await clusterIn(values.cluster)
      const where = to === 'up' || to === 'down' ? to : place(to)
      const order = await moveUpdater(ctx, { updaterId: await updaterByName(name), clusterId, to: where })
      say(`The order is now ${order.map((updater) => updater.name).join(', ')}.`)
      return 0
    },
  },
  'updater:check': closing({
    usage: 'NAME',
    what: 'ask it now what it handles; exit code 1 where it is of no use',
    run: async (ctx, args, say) => {
      const { positionals } = parseArgs({ args, allowPositionals: true })
      const updaterId = await updaterByName(one(positionals, WHICH))
      const { hooks, ms, certificateEnds, problem, notFor } = await checkUpdater(ctx, { updaterId })
      if (hooks.length > 0) say(`It answered in ${ms} ms and handles ${hooks.join(', ')}.`)
      if (certificateEnds) say(`Its certificate ends ${certificateEnds}.`)
      for (const sentence of [problem, notFor]) if (sentence) say(sentence)
      return problem ? 1 : 0
    },
  }),
  'updater:remove': {
    usage: 'NAME',
    what: 'take it out; refused while an update that was approved in place depends on it',
    run: async (ctx, args, say) => {
      const { positionals } = parseArgs({ args, allowPositionals: true })
      const name = one(positionals, WHICH)
      await removeUpdater(ctx, { updaterId: await updaterByName(name) })
      say(`Removed ${name}. What only it covers can only be done by replacing machines from now on.`)
      return 0
    },
  },
}
