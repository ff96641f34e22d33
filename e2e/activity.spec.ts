import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { seriousIn } from './kit/steps'
import { stateFile } from './support/constants'

interface Line {
  action: string
  prevHash: string
  hash: string
}

test('the audit is exported as it is found, and that it was taken out is in it', async ({ page }) => {
  await page.goto('/activity')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('drydock-audit.ndjson')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(lines.length).toBeGreaterThan(3)
  // Each line names the one before it: whoever keeps the file can tell a missing one.
  lines.slice(1).forEach((line, i) => expect(line.prevHash).toBe(lines[i]!.hash))
  expect(new Set(lines.map(({ hash }) => hash.length))).toEqual(new Set([createHash('sha256').digest('hex').length]))
  await page.goto('/activity?q=audit.exported')
  await expect(page.getByRole('row').filter({ hasText: 'exported the' }).first()).toBeVisible()
})

test('the chain is verified on the page, and that is recorded', async ({ page }) => {
  await page.goto('/activity')
  const verify = page.getByRole('button', { name: 'Verify the chain' })
  await expect(async () => {
    await verify.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByText(/\d rows, unbroken$/)).toBeVisible({ timeout: 5_000 })
  }).toPass()
  expect(await seriousIn(page)).toEqual([])
  await page.goto('/activity?q=audit.verified')
  await expect(page.getByRole('row').filter({ hasText: 'verified the' }).first()).toBeVisible()
})

test('letters narrow the list and stay, also those typed at once', async ({ page }) => {
  await page.goto('/activity')
  const box = page.locator('main [data-filter]')
  await box.fill('nobody-did-this')
  await expect(page).toHaveURL(/q=nobody-did-this/)
  await expect(page.getByText('Nothing was done that matches.')).toBeVisible()
  await expect(box).toHaveValue('nobody-did-this')
})

test.describe('a viewer', () => {
  test.use({ storageState: stateFile('viewer') })
  test('reads it, and is not offered to verify what an administrator verifies', async ({ page }) => {
    await page.goto('/activity')
    await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Verify the chain' })).toHaveCount(0)
  })
})
