import { stringify } from 'yaml'
import { parseInput, requirePermission, type Ctx } from '../context'
import { gateTarget } from './manifest'
import { GateInput } from './schemas'

export interface GatePreview {
  yaml: string
  url: string
  sentences: string[]
}

/** The ExtensionConfig that would be written, before anything is. */
export async function previewGate(ctx: Ctx, input: unknown): Promise<GatePreview> {
  requirePermission(ctx, 'clusters:write')
  const { clusterId, url: base } = parseInput(GateInput, input)
  const { manifest, url, capabilities } = await gateTarget(clusterId, base)
  return {
    yaml: stringify(manifest, { lineWidth: 0 }),
    url,
    sentences: [
      'Cluster API asks this address before it updates machines; while it has no answer, it waits.',
      'The address contains a token: whoever can read ExtensionConfigs can read it.',
      ...(capabilities.gates.inPlaceUpdates.state === 'off'
        ? ['In-place updates are off in this cluster: the registration has no effect until they are on.']
        : []),
      'Deleting it by hand makes Cluster API replace machines unasked; use Disconnect instead.',
    ],
  }
}
