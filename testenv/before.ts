import { kubeClientFor } from '@/lib/services/clusters/connection'

/** Something happens between two steps of ours: right before the next call of this kind. */
export async function before(clusterId: string, method: 'get' | 'patch', happens: () => Promise<unknown>) {
  const client = await kubeClientFor(clusterId)
  const real = client[method]
  client[method] = (async (...args: Parameters<typeof real>) => {
    client[method] = real as never
    await happens()
    return (real as (...a: unknown[]) => unknown)(...args)
  }) as never
}
