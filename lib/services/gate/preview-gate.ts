import { stringify } from 'yaml'
import { gatesFor } from '@/lib/domain/capabilities'
import type { JsonObject } from '@/lib/domain/json'
import { may, parseInput, requirePermission, type Ctx } from '../context'
import { baseUrl, gateTarget } from './manifest'
import { GateInput } from './schemas'

export interface GatePreview {
  yaml: string
  url: string
  /** The token in the address is left out: the reader may not register. */
  masked: boolean
  sentences: string[]
}

const WITHOUT = '(the token, for administrators)'

/** The ExtensionConfig that would be written, before anything is. Whoever may not register sees it without the token. */
export async function previewGate(ctx: Ctx, input: unknown): Promise<GatePreview> {
  requirePermission(ctx, 'fleet:read')
  const { clusterId, url: base } = parseInput(GateInput, input)
  const { manifest, url, capabilities } = await gateTarget(clusterId, base ?? baseUrl())
  const masked = !may(ctx.actor.role, 'clusters:write')
  const shown = masked ? withoutToken(url) : url
  return {
    yaml: stringify(masked ? withUrl(manifest, shown) : manifest, { lineWidth: 0 }),
    url: shown,
    masked,
    sentences: [
      'Cluster API asks this address before it updates machines; while it has no answer, it waits.',
      'The address contains a token: whoever can read ExtensionConfigs can read it.',
      ...(gatesFor(capabilities.gates, 'MachineDeployment').some(({ state }) => state === 'off')
        ? ['In-place updates are off in this cluster: the registration has no effect until they are on.']
        : []),
      'Deleting it by hand makes Cluster API replace machines unasked; use Disconnect instead.',
    ],
  }
}

const withoutToken = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1) + WITHOUT

function withUrl(manifest: JsonObject, url: string): JsonObject {
  const spec = manifest.spec as JsonObject
  return { ...manifest, spec: { ...spec, clientConfig: { ...(spec.clientConfig as JsonObject), url } } }
}
