import { expect, type Locator, type Page } from '@playwright/test'
import { administrator } from './cluster'
import { Group } from './groups'

/** Groups of one test whose changes wait, and nothing else on the list. */
export async function severalWaiting(page: Page, tag: string, n: number, to: string): Promise<Group[]> {
  const what = `${tag}${Math.random().toString(36).slice(2, 6)}`
  const groups = await Promise.all(
    Array.from({ length: n }, (_, i) => Group.make(administrator('atlas'), `${what}-${i}`, 1)),
  )
  for (const group of groups) await group.raise(to)
  await page.goto(`/updates?tab=waiting&q=${what}`)
  for (const { name } of groups) await expect(page.getByRole('row').filter({ hasText: name })).toBeVisible()
  // As they stand on the page: what is detected in one moment has no order of its own.
  const listed = await page.locator('main tbody tr').allInnerTexts()
  const placeOf = ({ name }: Group) => listed.findIndex((text) => text.includes(name))
  return groups.sort((a, b) => placeOf(a) - placeOf(b))
}

export const box = (page: Page, { name }: Group): Locator => page.getByRole('checkbox', { name: `Select ${name}` })
export const bar = (page: Page): Locator => page.getByRole('region', { name: 'Selected updates' })

/** What is still held goes back to what it was, which ends its hold; then each is removed. */
export async function removeAll(groups: readonly Group[]): Promise<void> {
  for (const group of groups) {
    if (await group.paused()) {
      await group.raise(group.version)
      await expect.poll(() => group.paused(), { timeout: 30_000 }).toBe(false)
    }
    await group.remove()
  }
}
