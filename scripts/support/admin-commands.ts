import { parseArgs } from 'node:util'
import { db } from '@/lib/db/client'
import { exportAudit } from '@/lib/services/audit/export-audit'
import { verifyAudit } from '@/lib/services/audit/verify-audit'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { listClusters } from '@/lib/services/clusters/list-clusters'
import { rbacFor } from '@/lib/services/clusters/rbac-for'
import { ROLES, type Ctx } from '@/lib/services/context'
import { ServiceError } from '@/lib/services/errors'
import { unknownErrors, type UnknownErrorDto } from '@/lib/services/machines/unknown-errors'
import { createUser } from '@/lib/services/users/create-user'
import { disableUser } from '@/lib/services/users/disable-user'
import { enableUser } from '@/lib/services/users/enable-user'
import { listUsers } from '@/lib/services/users/list-users'
import { resetPassword } from '@/lib/services/users/reset-password'
import { setRole } from '@/lib/services/users/set-role'
import { publicAddress } from './address'
import { clusterByName, one, type Command } from './admin-arguments'
import { runPlan } from './plan-command'
import { POLICY_COMMANDS } from './policy-commands'
import { readText } from './read-text'
import { sayTooFew } from './say-too-few'
import { UPDATER_COMMANDS } from './updater-commands'

const address = (path: string): string => `${publicAddress()}${path}`

async function userByEmail(email: string): Promise<string> {
  const user = await db().user.findUnique({ where: { email: email.toLowerCase() }, select: { id: true } })
  if (!user) throw new ServiceError('not-found', `There is no account for ${email}.`)
  return user.id
}

/** A command about one account, named by its e-mail address. */
const forUser = (what: string, act: (ctx: Ctx, userId: string) => Promise<string>, fewer = false): Command => ({
  usage: 'EMAIL',
  what,
  run: async (ctx, args, say) => {
    const { positionals } = parseArgs({ args, allowPositionals: true })
    say(await act(ctx, await userByEmail(one(positionals, 'account, by its e-mail address'))))
    if (fewer) await sayTooFew(ctx, say)
    return 0
  },
})

function sayError(error: UnknownErrorDto, say: (line: string) => void): void {
  const { provider, condition, reason, message, count, lastSeen } = error
  // Somebody else's text: nothing in it may move the cursor or look like a line of its own.
  const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ')
  const where = [provider, condition, reason].filter(Boolean).map(plain).join(' / ')
  say(`${String(count).padStart(6)}  ${where}  last seen ${lastSeen}`)
  say(`        ${plain(message || '(no message)')}`)
}

export const COMMANDS: Record<string, Command> = {
  'add-cluster': {
    usage: 'FILE --name NAME [--context NAME]',
    what: 'connect a management cluster from a kubeconfig (- for stdin; --context where it has several)',
    run: async (ctx, args, say) => {
      const options = { name: { type: 'string' }, context: { type: 'string' } } as const
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
      const file = one(positionals, 'kubeconfig file')
      const kubeconfig = readText(file, 'kubeconfig')
      const { clusterId } = await addCluster(ctx, { ...values, kubeconfig })
      say(`Connected ${values.name} (${clusterId}). Nothing is governed yet: choose on the page Clusters.`)
      return 0
    },
  },
  clusters: {
    usage: '',
    what: 'list management clusters',
    run: async (ctx, args, say) => {
      parseArgs({ args })
      for (const c of await listClusters(ctx)) say([c.name, c.state, c.server, `${c.machines} machines`].join('  '))
      return 0
    },
  },
  plan: {
    usage: '-f FILE… [--cluster NAME] [--json]',
    what: 'say what manifests would do to machines (- for stdin); exit codes 0, 10, 11, 12: docs/plan-a-change.md',
    run: runPlan,
  },
  rbac: {
    usage: 'NAME [--plan]',
    what: 'print the RBAC that Drydock needs in a connected management cluster (--plan: besides, to plan changes)',
    run: async (ctx, args, say) => {
      const { positionals, values } = parseArgs({
        args,
        allowPositionals: true,
        options: { plan: { type: 'boolean' } },
      })
      const name = one(positionals, 'management cluster, by its name')
      say((await rbacFor(ctx, { clusterId: await clusterByName(name), plan: values.plan })).yaml.trimEnd())
      return 0
    },
  },
  'errors:unknown': {
    usage: '[--json]',
    what: 'list errors of machines that Drydock does not know yet, the most frequent first',
    run: async (ctx, args, say) => {
      const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
      const errors = await unknownErrors(ctx)
      if (values.json) say(JSON.stringify(errors, null, 2))
      else if (errors.length === 0) say('Every error that machines have reported is known.')
      else for (const e of errors) sayError(e, say)
      return 0
    },
  },
  ...UPDATER_COMMANDS,
  ...POLICY_COMMANDS,
  'add-user': {
    usage: `EMAIL --role ${ROLES.join('|')} [--name NAME]`,
    what: 'make an account; prints a one-time link',
    run: async (ctx, args, say) => {
      const options = { role: { type: 'string' }, name: { type: 'string' } } as const
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
      const { link } = await createUser(ctx, { ...values, email: one(positionals, 'e-mail address') })
      say(`Send this one-time link; it holds for 24 h:\n  ${address(link)}`)
      return 0
    },
  },
  users: {
    usage: '',
    what: 'list accounts',
    run: async (ctx, args, say) => {
      parseArgs({ args })
      for (const u of await listUsers(ctx))
        say([u.email, u.role, u.disabledAt ? 'disabled' : '', u.name].filter(Boolean).join('  '))
      return 0
    },
  },
  'set-role': {
    usage: `EMAIL --role ${ROLES.join('|')}`,
    what: 'give an account another role',
    run: async (ctx, args, say) => {
      const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { role: { type: 'string' } } })
      const email = one(positionals, 'account, by its e-mail address')
      await setRole(ctx, { userId: await userByEmail(email), role: values.role })
      say(`${email} is ${values.role} now.`)
      await sayTooFew(ctx, say)
      return 0
    },
  },
  'disable-user': forUser(
    'end an account and its sessions',
    async (ctx, userId) => {
      await disableUser(ctx, { userId })
      return 'The account is disabled; its sessions have ended.'
    },
    true,
  ),
  'enable-user': forUser('open a disabled account again', async (ctx, userId) => {
    await enableUser(ctx, { userId })
    return 'The account is open again.'
  }),
  'reset-password': forUser('take the password away; prints a one-time link', async (ctx, userId) => {
    const { link } = await resetPassword(ctx, { userId })
    return `Send this one-time link; it holds for 24 h:\n  ${address(link)}`
  }),
  'verify-audit': {
    existing: true,
    usage: '[HASH]',
    what: 'walk the hash chain; exit code 1 where it is broken or lacks a HASH that it had',
    run: async (ctx, args, say) => {
      const { positionals } = parseArgs({ args, allowPositionals: true })
      const kept = positionals.length > 0 ? one(positionals, 'hash') : undefined
      const { ok, rows, head, broken, lost } = await verifyAudit(ctx, { kept })
      if (lost)
        say(`${rows} rows fit, but none has the hash ${kept}: the end was cut off, or the chain was written anew.`)
      else if (ok) say(`${rows} rows, all whole. Newest hash: ${head || 'none yet'}`)
      else
        say(
          `Broken at row ${broken?.id} (${broken?.at}, ${broken?.action}): ${broken?.problem} The ${rows} rows before it are whole.`,
        )
      return ok ? 0 : 1
    },
  },
  'export-audit': {
    existing: true,
    usage: '',
    what: 'write the audit to standard output as NDJSON',
    run: async (ctx, args) => {
      parseArgs({ args })
      for await (const lines of await exportAudit(ctx)) process.stdout.write(lines)
      return 0
    },
  },
}
