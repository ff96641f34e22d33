import { expect, test } from '@playwright/test'
import { seriousIn, sideways } from './kit/steps'

for (const colorScheme of ['light', 'dark'] as const)
  test.describe(colorScheme, () => {
    test.use({ colorScheme })
    test('with a finger: pages that are not in the bar are behind More, and nothing of the bar is cut off', async ({
      page,
    }) => {
      await page.goto('/')
      const bar = page.getByRole('navigation', { name: 'Pages' })
      for (const name of [/^Fleet/, /^Updates/, /^Machines/, /^Boot images/])
        await expect(bar.getByRole('link', { name })).toBeInViewport({ ratio: 1 })
      await bar.getByRole('button', { name: 'More' }).tap()
      const menu = page.getByRole('menu')
      await expect(menu.getByRole('menuitem')).toHaveText(['Pools', 'Upgradeable', 'Policies', 'Clusters', 'Activity'])
      expect.soft(await seriousIn(page)).toEqual([])
      await menu.getByRole('menuitem', { name: 'Pools' }).tap()
      await expect(page.getByRole('heading', { level: 1, name: 'Pools' })).toBeVisible()
      await expect(menu).toBeHidden()
      await expect(bar.getByRole('button', { name: 'More pages; this is Pools' })).toBeInViewport({ ratio: 1 })
      expect(await sideways(page)).toBeLessThanOrEqual(0)
    })
  })
