import { effectiveSkew } from './effective'
import { NO_PLATFORM, type HistoryEntry, type Platform, type SkewState } from './types'

/** Why a cluster is in its mode: which of the operator's rules made it so, or that none that Drydock sees does. */
export function explainMode(
  state: SkewState | null,
  platform: Platform,
  history: readonly HistoryEntry[] | undefined,
): string | null {
  if (!state?.mode) return null
  // Where nobody read the address that bare metal starts from, the mode tells whether there is one: not of a single node, where it is None anyway.
  const provisioningUrl = platform.provisioningUrl ?? (state.mode !== 'None' || platform.topology === 'SingleReplica')
  const { mode, why } = effectiveSkew({
    spec: state.spec,
    managers: state.managers,
    platform: { ...platform, provisioningUrl },
    history,
    before: { mode: state.mode, recorded: state.recorded },
  })
  if (mode === state.mode) return why
  if (state.observedGeneration < state.generation)
    return `The operator has not taken up the newest configuration, which leads to ${mode}.`
  if (!platform.type && !state.spec) return `${NO_PLATFORM}, and so not why the operator arrived at ${state.mode}.`
  return `The configuration that Drydock sees leads to ${mode}, and the operator says ${state.mode}.`
}
