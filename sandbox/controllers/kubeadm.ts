import { initForm, joinForm } from '../../lib/domain/changes/kubeadm'
import type { JsonObject } from '../../lib/domain/json'

/** As the control plane provider writes it for a machine that joins, or for the one that initializes. */
export function kubeadmConfigFor(spec: JsonObject | undefined, version: string, initial: boolean): JsonObject {
  const form: JsonObject = initial
    ? { initConfiguration: {}, ...initForm(spec ?? {}, version) }
    : joinForm(spec ?? {}, version)
  return { ...form, format: form.format ?? 'cloud-config' }
}
