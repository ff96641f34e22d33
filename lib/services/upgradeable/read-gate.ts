import { MASK } from '@/lib/domain/changes/telling'
import { releaseOf } from '@/lib/domain/upgradeable/gates'
import type { KubeClient } from '@/lib/kubernetes/types'
import { ADMIN_GATES, CONFIG_MAPS, readConfigData } from '@/lib/providers/openshift/gates'
import { ServiceError } from '../errors'
import type { ActionKind, Target } from '../openshift/kind'
import { readTarget } from '../openshift/read-target'

/** Of gates and acknowledgements alike. */
export const CONFIG_MAP_WORDS: ActionKind['words'] = {
  missing: 'The Cluster Version Operator makes it again by itself; wait until it has.',
  unknownField: 'the ConfigMap does not keep what is written to it',
  takenUp: 'the Cluster Version Operator was seen to take it up',
}

/** Nobody writes to them from here. */
const GATES: Target = {
  resource: CONFIG_MAPS,
  ...ADMIN_GATES,
  words: `ConfigMap ${ADMIN_GATES.namespace}/${ADMIN_GATES.name}`,
}

/** The gates of the cluster as they are now, by name. */
export async function readGates(client: KubeClient): Promise<Record<string, string>> {
  return readConfigData(await readTarget(client, { words: CONFIG_MAP_WORDS }, GATES), true) ?? {}
}

/** A gate's words as they stand in the cluster now. Throws where there is no such gate, or none that can be acknowledged. */
export async function readGate(client: KubeClient, gate: string): Promise<string> {
  const gates = await readGates(client)
  const text = Object.hasOwn(gates, gate) ? gates[gate] : undefined
  if (text === undefined)
    throw new ServiceError('not-found', `The gate ${gate} is gone: nobody asks for it any more.`, {
      hint: 'There is nothing to acknowledge.',
    })
  if (text === '' || releaseOf(gate) === null)
    throw new ServiceError(
      'invalid',
      `The gate ${gate} cannot be acknowledged: ${text === '' ? 'it has no text' : 'its name is malformed'}.`,
      {
        hint: 'Whoever put it into openshift-config-managed/admin-gates has to mend it.',
      },
    )
  if (text.includes(MASK))
    throw new ServiceError(
      'invalid',
      `A part of what the gate ${gate} says looks like a credential, and is not shown: it is not acknowledged from here.`,
      { hint: 'Read it in openshift-config-managed/admin-gates, and acknowledge it there.' },
    )
  return text
}
