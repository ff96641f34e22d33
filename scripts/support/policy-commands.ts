import { parseArgs } from 'node:util'
import { rulesWords, selectionWords } from '@/components/policies/words'
import { exportPolicies } from '@/lib/services/policies/export-policies'
import { importPolicies } from '@/lib/services/policies/import-policies'
import { listPolicies } from '@/lib/services/policies/list-policies'
import { ServiceError } from '@/lib/services/errors'
import { removePolicy } from '@/lib/services/policies/remove-policy'
import { one, type Command } from './admin-arguments'
import { readText } from './read-text'
import { sayTooFew } from './say-too-few'

/** Policies by the shell: what stands in Git is what holds. */
export const POLICY_COMMANDS: Record<string, Command> = {
  policies: {
    usage: '',
    what: 'list policies, the most specific one first',
    run: async (ctx, args, say) => {
      parseArgs({ args })
      const { policies } = await listPolicies(ctx)
      if (policies.length === 0) say('There is no policy: what is built in holds for every group.')
      for (const { name, version, spec } of policies)
        say(
          spec
            ? `${name} (version ${version})  for ${selectionWords(spec.select)}: ${rulesWords(spec)}`
            : `${name} (version ${version})  cannot be read, so nothing is approved anywhere`,
        )
      return 0
    },
  },
  'policies:export': {
    usage: '',
    what: 'write every policy to standard output as YAML',
    run: async (ctx, args, say) => {
      parseArgs({ args })
      say((await exportPolicies(ctx)).trimEnd())
      return 0
    },
  },
  'policies:import': {
    usage: 'FILE',
    what: 'save every policy of a YAML file, or none (- for stdin); others stay as they are',
    run: async (ctx, args, say) => {
      const { positionals } = parseArgs({ args, allowPositionals: true })
      const text = readText(one(positionals, 'YAML file'), 'policies')
      for (const { name, version, is } of await importPolicies(ctx, { text }))
        say(`${name}: version ${version}${is === 'same' ? ', as it was' : ''}`)
      await sayTooFew(ctx, say)
      return 0
    },
  },
  'policies:remove': {
    usage: 'NAME',
    what: 'take a policy out; what it asked for, less specific ones say from then on',
    run: async (ctx, args, say) => {
      const { positionals } = parseArgs({ args, allowPositionals: true })
      const name = one(positionals, 'policy, by its name')
      const { policies } = await listPolicies(ctx)
      const found = policies.find((policy) => policy.name === name)
      if (!found) throw new ServiceError('not-found', `There is no policy ${name}.`)
      await removePolicy(ctx, { policyId: found.id, version: found.version })
      say(`${name} is removed.`)
      return 0
    },
  },
}
