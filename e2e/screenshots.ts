import { expect, test } from '@playwright/test'

/** The pictures of the README: `npm run screenshots`. Not a test; see screenshots.config.ts. */
const PAGES: [name: string, path: string][] = [
  ['fleet', '/'],
  ['updates', '/updates?tab=waiting'],
  ['machines', '/machines'],
  ['boot-images', '/boot-images'],
  ['pools', '/pools'],
  ['upgradeable', '/upgradeable?cluster=tidal'],
  ['clusters', '/clusters'],
]

for (const theme of ['light', 'dark'] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme, viewport: { width: 1440, height: 900 } })
    test(`screenshots in ${theme}`, async ({ page }) => {
      const shoot = async (name: string): Promise<void> => {
        await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
        await expect(page.locator('.skeleton')).toHaveCount(0)
        await expect(page.getByText('Playing it forward')).toHaveCount(0)
        await page.evaluate(() => document.fonts.ready)
        const clip = { x: 0, y: 0, width: 1440, height: name === 'machines' ? 660 : 900 }
        await page.screenshot({ path: `docs/screenshots/${name}-${theme}.png`, animations: 'disabled', clip })
      }
      for (const [name, path] of PAGES) {
        await page.goto(path)
        await shoot(name)
      }
      await page.goto('/updates?tab=waiting')
      await page.locator('main tbody').getByRole('link', { name: 'payments-prod-workers-a' }).click()
      await expect(page.getByRole('group', { name: 'Decide' })).toBeVisible()
      await shoot('update')
    })
  })
}
