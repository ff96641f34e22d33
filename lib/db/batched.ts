export interface Batches {
  /** So many statements at a time. */
  lanes?: number
  /** So many questions in one. */
  most?: number
}

/**
 * Puts questions together that come while others are being answered: one alone is asked at once, and of a burst each waits for
 * one statement before its own. A question is never answered by a statement that began before it came. `load` answers in the
 * order of its keys; where it fails, each of them fails with its error.
 */
export function batched<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  { lanes = 4, most = 100 }: Batches = {},
): (key: K) => Promise<V> {
  const waiting: { key: K; resolve: (value: V) => void; reject: (error: unknown) => void }[] = []
  let running = 0
  const next = (): void => {
    while (running < lanes && waiting.length > 0) void run(waiting.splice(0, most))
  }
  const run = async (batch: typeof waiting): Promise<void> => {
    running++
    try {
      const values = await load(batch.map(({ key }) => key))
      if (values.length !== batch.length) throw new Error(`${values.length} answers to ${batch.length} questions`)
      for (const [i, { resolve }] of batch.entries()) resolve(values[i]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      next()
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      next()
    })
}
