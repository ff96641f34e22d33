import { setTimeout as wait } from 'node:timers/promises'

/** Looks again and again until it is so; says what is missing when it never is. */
export async function until(what: string, so: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await so())) {
    if (Date.now() > end) throw new Error(`Not within ${ms} ms: ${what}`)
    await wait(15)
  }
}
