import { expect, test, type Page } from '@playwright/test'
import { seriousIn, sideways } from './steps'

const PATHS = [
  '/',
  '/updates',
  '/updates?tab=done',
  '/plan',
  '/machines',
  '/boot-images',
  '/boot-images?q=verdict:out-of-skew',
  '/boot-images?tab=sets',
  '/pools',
  '/upgradeable',
  '/upgradeable?cluster=tidal',
  '/updaters',
  '/policies',
  '/policies/new',
  '/clusters',
  '/clusters/new',
  '/activity',
]

/** Every page, in both themes: no serious barrier, and no page that scrolls sideways. */
export function everyPage(): void {
  for (const path of PATHS) {
    test(`${path} is free of serious barriers and fits`, async ({ page }) => {
      await page.goto(path)
      await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
      await free(page)
      for (const width of page.viewportSize()!.width > 1200 ? [1280, 1200, 768] : []) {
        await page.setViewportSize({ width, height: 900 })
        expect.soft(await sideways(page), `sideways at ${width} px`).toBeLessThanOrEqual(0)
      }
    })
  }
  test('one cluster, one update and an open sheet', async ({ page }) => {
    await page.goto('/clusters')
    await page.getByRole('link', { name: 'atlas' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'atlas' })).toBeVisible()
    await free(page)
    await page.goto('/updates?tab=waiting')
    // One that somebody is asked about: a pool that nobody governs is among them, too.
    const asks = page.locator('main tbody tr').filter({ hasText: /Waiting for \d+ approval/ })
    await asks.first().getByRole('link').first().click()
    await expect(page.getByRole('group', { name: 'Decide' })).toBeVisible()
    await free(page)
    await page.goto('/boot-images?cluster=tidal')
    await page.getByRole('button', { name: /^Acknowledge/ }).click()
    await expect(page.getByRole('dialog').locator('pre').first()).toBeVisible()
    await free(page)
  })
  test.describe('signed out', () => {
    test.use({ storageState: { cookies: [], origins: [] } })
    test('/sign-in is free of serious barriers and fits', async ({ page }) => {
      await page.goto('/sign-in')
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
      await free(page)
    })
  })
}

/** What is looked at is the page as it stands: themes are of its colours alone, so it is loaded once for both. */
async function free(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect.soft(await seriousIn(page), colorScheme).toEqual([])
    expect.soft(await sideways(page), `sideways, ${colorScheme}`).toBeLessThanOrEqual(0)
  }
}
