import { expect, test } from '@playwright/test'

test('from the fleet to the sheet and back without a pointer', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible({ timeout: 1000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(page).toHaveURL('/clusters')
  await expect(page.getByRole('row').filter({ hasText: 'atlas' })).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.locator('tr[data-cursor]')).toContainText('atlas')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'atlas' })).toBeVisible()

  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await expect(page).toHaveURL('/boot-images')
  // Another test may have connected a second one.
  await page.goto('/boot-images/tidal')
  const open = page.getByRole('article', { name: 'tidal' }).getByRole('button', { name: /^Acknowledge/ })
  await expect(open).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(open).toBeFocused({ timeout: 50 })
  }).toPass()
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog')
  await expect(sheet).toBeVisible()
  const inside = (): Promise<boolean> => sheet.evaluate((node) => node.contains(document.activeElement))
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    expect(await inside()).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(open).toBeFocused()

  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(page).toHaveURL('/activity')
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible()
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('latch.installed')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/q=latch\.installed/)
})
