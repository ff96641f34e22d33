import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { activityRow, allTicked, approveInPlace, chip, seriousIn, sideways } from './kit/steps'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 240_000 })

test('what every machine has, and is not Ready, waits for that; somebody may count it as done', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'settles', 1)
  try {
    await group.away('3000s')
    await group.raise(TO)
    const sheet = await approveInPlace(page, group.name)
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(chip(page, 'Waits for machines to be Ready').first()).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText('It is done when each that it updated or made was Ready since').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Pause' })).toHaveCount(0)
    const press = page.getByRole('button', { name: 'Count it as done…' })
    for (const size of [
      { width: 390, height: 844, colorScheme: 'dark' as const },
      { width: 1440, height: 900, colorScheme: 'light' as const },
    ]) {
      await page.emulateMedia({ colorScheme: size.colorScheme })
      await page.setViewportSize(size)
      expect(await seriousIn(page)).toEqual([])
      expect(await sideways(page)).toBeLessThanOrEqual(0)
    }
    await press.click()
    const why = page.getByRole('dialog')
    await expect(why.getByRole('button', { name: 'Count it as done' })).toBeDisabled()
    await why.getByLabel('Reason').fill('its rack has no power')
    expect(await seriousIn(page, '[role=dialog]')).toEqual([])
    await why.getByRole('button', { name: 'Count it as done' }).click()
    await expect(chip(page, 'Done').first()).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('counted it as done, as it was: its rack has no power').first()).toBeVisible()
    await activityRow(page, `change.counted-done ${group.name}`, 'counted as done')
  } finally {
    await group.remove()
  }
})
