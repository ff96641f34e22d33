import { releaseOf } from '@/lib/domain/upgradeable/gates'
import type { KubeClient } from '@/lib/kubernetes/types'
import { ADMIN_GATES, CONFIG_MAPS, readConfigData } from '@/lib/providers/openshift/gates'
import { ServiceError } from '../errors'
import type { ActionKind } from '../openshift/kind'
import { gateKind } from '../openshift/kinds/gate'
import { readTarget } from '../openshift/read-target'

/** The gates are read as the acknowledgements are; nobody writes to them from here. */
const GATES: ActionKind = {
  ...gateKind,
  target: () => ({
    resource: CONFIG_MAPS,
    ...ADMIN_GATES,
    words: `ConfigMap ${ADMIN_GATES.namespace}/${ADMIN_GATES.name}`,
  }),
}

/** A gate's words as they stand in the cluster now. Throws where there is no such gate, or none that can be acknowledged. */
export async function readGate(client: KubeClient, gate: string): Promise<string> {
  const object = await readTarget(client, GATES, GATES.target(''))
  const gates = readConfigData(object, true) ?? {}
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
  return text
}
