import { condition, setConditions } from './conditions'
import { AS, NOT_PAUSED, writeConditions, writeStatus, type Env } from './env'
import { has, type ExtensionConfig } from './kinds'
import { ANNOTATION, EXTENSION_CONFIGS } from './names'

/** Registers what an extension offers, on every touch of its ExtensionConfig. */
export const reconcileExtensionConfig = (env: Env) => async (key: string) => {
  const extension = env.store.get(EXTENSION_CONFIGS, key) as unknown as ExtensionConfig | undefined
  if (!extension || extension.metadata.deletionTimestamp) {
    env.hooks.forget(key)
    return undefined
  }
  if (!env.gates.runtimeSdk || has(extension, ANNOTATION.paused)) return undefined
  const { generation } = extension.metadata
  try {
    const handlers = await env.hooks.discover(extension)
    const now = (env.store.get(EXTENSION_CONFIGS, key) as unknown as ExtensionConfig | undefined) ?? extension
    const conditions = [condition('Discovered', true, 'Discovered'), NOT_PAUSED]
    const status = { conditions: setConditions(now.status?.conditions, conditions, generation), handlers }
    await writeStatus(env, EXTENSION_CONFIGS, now, status, AS.core)
  } catch (error) {
    // What is registered stays registered: an extension that is down holds, it does not release.
    const why = `failed to discover extension "${key}": ${error instanceof Error ? error.message : String(error)}`
    await writeConditions(
      env,
      EXTENSION_CONFIGS,
      extension,
      [condition('Discovered', false, 'NotDiscovered', why), NOT_PAUSED],
      AS.core,
    )
    throw error
  }
  return undefined
}
