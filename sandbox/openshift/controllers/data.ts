import type { ImageContext } from '../../../lib/domain/boot-images/types'
import { one, type Env } from './env'

/** Secrets, decoded, and ConfigMaps of a store, as the controller's own client reads them. */
export const dataOf =
  (env: Env): NonNullable<ImageContext['data']> =>
  (name, namespace = 'openshift-machine-api') => {
    const key = `${namespace}/${name}`
    const secret = one(env, 'secrets', key)
    if (!secret) return one(env, 'configmaps', key)?.data
    const decoded = Object.entries(secret.data ?? {}).map(([k, v]) => [k, Buffer.from(String(v), 'base64').toString()])
    return Object.fromEntries(decoded) as Record<string, string>
  }
