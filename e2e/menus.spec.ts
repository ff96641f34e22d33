import { expect, test } from '@playwright/test'

test('menus come when they are asked for, by pointer and by key, and give the focus back', async ({ page }) => {
  await page.goto('/machines')
  const account = page.getByRole('button', { name: /^Account of/ })
  const dark = page.getByRole('menuitemradio', { name: 'Dark' })
  await expect(async () => {
    await account.click()
    await expect(dark).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(account).toHaveAttribute('aria-expanded', 'true')
  await dark.click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByRole('menuitemradio', { name: 'As the system' }).click()
  await page.keyboard.press('Escape')
  await expect(dark).toHaveCount(0)
  await expect(account).toBeFocused()

  const columns = page.getByRole('button', { name: 'Columns' })
  await columns.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'node' }).click()
  await expect(page).toHaveURL(/cols=[^&]*node/)
  await expect(page.getByRole('columnheader', { name: 'node' })).toBeVisible()
})
