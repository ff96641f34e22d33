import { expect, test } from '@playwright/test'
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
  for (const theme of ['light', 'dark'] as const) {
    test.describe(theme, () => {
      test.use({ colorScheme: theme })
      for (const path of PATHS) {
        test(`${path} is free of serious barriers and fits`, async ({ page }) => {
          await page.goto(path)
          await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
          expect.soft(await seriousIn(page)).toEqual([])
          expect.soft(await sideways(page), 'sideways').toBeLessThanOrEqual(0)
          for (const width of theme === 'light' && page.viewportSize()!.width > 1200 ? [1280, 1200, 768] : []) {
            await page.setViewportSize({ width, height: 900 })
            expect.soft(await sideways(page), `sideways at ${width} px`).toBeLessThanOrEqual(0)
          }
        })
      }
      test('one cluster, one update and an open sheet', async ({ page }) => {
        await page.goto('/clusters')
        await page.getByRole('link', { name: 'atlas' }).click()
        await expect(page.getByRole('heading', { level: 1, name: 'atlas' })).toBeVisible()
        expect.soft(await seriousIn(page)).toEqual([])
        expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
        await page.goto('/updates?tab=waiting')
        // One that somebody is asked about: a pool that nobody governs is among them, too.
        const asks = page.locator('main tbody tr').filter({ hasText: /Waiting for \d+ approval/ })
        await asks.first().getByRole('link').first().click()
        await expect(page.getByRole('group', { name: 'Decide' })).toBeVisible()
        expect.soft(await seriousIn(page)).toEqual([])
        expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
        await page.goto('/boot-images?cluster=tidal')
        await page.getByRole('button', { name: /^Acknowledge/ }).click()
        await expect(page.getByRole('dialog').locator('pre').first()).toBeVisible()
        expect.soft(await seriousIn(page)).toEqual([])
        expect(await sideways(page)).toBeLessThanOrEqual(0)
      })
      test.describe('signed out', () => {
        test.use({ storageState: { cookies: [], origins: [] } })
        test('/sign-in is free of serious barriers and fits', async ({ page }) => {
          await page.goto('/sign-in')
          await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
          expect.soft(await seriousIn(page)).toEqual([])
          expect(await sideways(page)).toBeLessThanOrEqual(0)
        })
      })
    })
  }
}
