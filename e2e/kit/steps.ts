import AxeBuilder from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import type { OwnSandbox } from './sandbox'

/** Pastes a kubeconfig into the form and saves the connection; ends on the page of the cluster. */
export async function connect(page: Page, { name, kubeconfig }: OwnSandbox): Promise<void> {
  await page.goto('/clusters/new')
  await page.getByRole('textbox', { name: 'Kubeconfig', exact: true }).fill(kubeconfig)
  await saveConnection(page, name)
}

export async function saveConnection(page: Page, name: string): Promise<void> {
  await expect(page.getByText('Drydock would keep, and nothing else:')).toBeVisible()
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Save and start watching' }).click()
  await expect(page).toHaveURL(/\/clusters\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

/** A chip by its word, whatever mark stands before it; not its copy in what is streamed, and not yet put in its place. */
export const chip = (page: Page, word: string): Locator =>
  page.getByText(new RegExp(`^[✓✕●]?\\s*${word}$`)).filter({ visible: true })

/** What axe calls serious or critical, on the page or in one part of it; each as one readable line. */
export async function seriousIn(page: Page, part?: string): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  // A button that turns from pale to full has no contrast of its own on the way.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => null)),
    ),
  )
  const axe = new AxeBuilder({ page }).withTags(tags)
  const { violations } = await (part ? axe.include(part) : axe).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`))
}

export const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

/** The three ticks of the open sheet, all done. */
export async function allTicked(sheet: Locator): Promise<void> {
  await expect(sheet.getByRole('listitem').filter({ hasText: 'Recorded' })).toContainText('✓')
  await expect(sheet.getByRole('listitem').filter({ hasText: 'Accepted by the cluster' })).toContainText('✓')
  await expect(sheet.getByRole('listitem').filter({ hasText: /^.?Seen in the watch/ })).toContainText('✓', {
    timeout: 30_000,
  })
}

/** The newest row of Activity that says this, opened. */
export async function activityRow(page: Page, search: string, words: string): Promise<Locator> {
  await page.goto(`/activity?q=${encodeURIComponent(search)}`)
  const row = page.getByRole('row').filter({ hasText: words }).first()
  await expect(row).toBeVisible()
  await row.getByRole('button').click()
  return page
    .getByRole('row')
    .filter({ has: page.getByText('why', { exact: true }) })
    .last()
}

/** Once something that had the focus is gone, something near by has it, which this is called; never the page as a whole. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at, body } = document
    return !at || at === body ? 'nothing' : (at.getAttribute('aria-label') ?? at.textContent).trim()
  })

/** From the list to the change of this group, and approves it in place; the sheet is open. */
export async function approveInPlace(page: Page, group: string): Promise<Locator> {
  await page.goto(`/updates?tab=waiting&q=${group}`)
  await page.getByRole('row').filter({ hasText: group }).getByRole('link').first().click()
  await page
    .getByRole('group', { name: 'Decide' })
    .getByRole('button', { name: /^Approve in place/ })
    .click()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('button', { name: 'Approve in place' }).click()
  return sheet
}

/** On its page, and gone from the list. */
export async function removePolicy(page: Page, name: string): Promise<void> {
  await page.goto('/policies')
  await page.getByRole('link', { name, exact: true }).click({ timeout: 15_000 })
  await page.getByRole('button', { name: 'Remove…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Remove ${name}` })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Policies' })).toBeVisible()
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
}
