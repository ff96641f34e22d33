import { expect, test } from '@playwright/test'
import { receiver } from '../testenv/receiver'
import { seriousIn, sideways } from './kit/steps'

test('an admin says where messages go, tries it, and sees what became of them', async ({ page }) => {
  const there = await receiver()
  try {
    await page.goto('/activity')
    await page.getByRole('link', { name: 'Messages' }).click()
    await expect(page.getByText('Nowhere: no message leaves Drydock.')).toBeVisible()
    await page.getByLabel('Address').fill('http://alerts.example.com/x')
    await page.getByRole('button', { name: 'Send messages there' }).click()
    await expect(page.getByText('The address must begin with https://.')).toBeVisible()
    expect(await seriousIn(page)).toEqual([])
    await page.getByLabel('Address').fill(there.url)
    await page.getByLabel('Token (optional)').fill('abc-123')
    await page.getByRole('button', { name: 'Send messages there' }).click()
    await expect(page.getByText(`To ${new URL(there.url).host}, with a token`)).toBeVisible()
    await expect(page.getByText('s3cret')).toHaveCount(0)

    await page.getByRole('button', { name: 'Send a test message' }).click()
    await expect(page.getByText(/^.?\s*delivered HTTP 200, after/)).toBeVisible()
    expect(there.got[0]?.headers.authorization).toBe('Bearer abc-123')
    expect(there.got[0]?.body).toMatchObject({ version: 1, kind: 'test' })
    there.answers(500)
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await expect(page.getByText('HTTP 500, after')).toBeVisible()
    const rows = page.getByRole('table', { name: 'The newest messages' }).getByRole('row')
    await expect(rows.filter({ hasText: 'HTTP 500' })).toHaveCount(1)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await seriousIn(page)).toEqual([])
      expect(await sideways(page)).toBeLessThanOrEqual(0)
    }
    await page.getByRole('button', { name: 'Send no more' }).click()
    await expect(page.getByText('Nowhere: no message leaves Drydock.')).toBeVisible()
  } finally {
    await there.stop()
  }
})
