import { expect, test } from '@playwright/test'
import { bar, box, removeAll, severalWaiting } from './kit/several'
import { seriousIn, sideways } from './kit/steps'

test.describe.configure({ timeout: 180_000 })

test('with a finger: two are chosen, and approved replacing', async ({ page }) => {
  const groups = await severalWaiting(page, 'thumb', 2, 'v1.33.7')
  try {
    for (const group of groups) {
      const target = box(page, group).locator('xpath=..')
      const { width, height } = (await target.boundingBox())!
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
      await target.tap()
      await expect(box(page, group)).toBeChecked()
    }
    await expect(bar(page)).toContainText('2 selected')
    // Above the bar of pages, which is fixed.
    const [ours, pages] = [
      await bar(page).boundingBox(),
      await page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
    ]
    expect(ours!.y + ours!.height).toBeLessThanOrEqual(pages!.y)
    expect.soft(await seriousIn(page)).toEqual([])
    expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
    await bar(page).getByRole('button', { name: 'Approve replacing…' }).tap()
    const sheet = page.getByRole('dialog', { name: 'Approve replacing' })
    await expect(sheet).toContainText('2 updates are approved replacing. 2 machines are deleted in all.')
    expect.soft(await seriousIn(page)).toEqual([])
    expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
    await sheet.getByRole('button', { name: 'Approve 2 replacing' }).tap()
    await expect(sheet.getByRole('status')).toHaveText('2 approved.', { timeout: 60_000 })
    await sheet.getByRole('button', { name: 'Close' }).last().tap()
    for (const group of groups) await expect(page.getByRole('row').filter({ hasText: group.name })).toHaveCount(0)
  } finally {
    await removeAll(groups)
  }
})
