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
  const exported = page.getByRole('row').filter({ hasText: 'exported the' })
  const list = async (): Promise<void> => {
    await page.goto('/activity?q=audit.exported')
    await expect(
      page.getByRole('row').filter({ hasText: 'exported the' }).or(page.getByText('Nothing was done')),
    ).not.toHaveCount(0)
  }
  await list()
  const before = await exported.count()
  await page.goto('/activity')
  await expect(page.getByRole('row').nth(3)).toBeVisible()
  await page.getByRole('link', { name: 'Export' }).hover()
  await page.waitForLoadState('networkidle')
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
  // Once: looking at the button, or pressing it, asks for it no other time.
  await list()
  await expect(exported).toHaveCount(before + 1)
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

test('a row opens wherever it is pressed, and with the keyboard', async ({ page }) => {
  await page.goto('/activity?q=latch.installed')
  const row = page.getByRole('row').filter({ hasText: 'installed the latch on' }).first()
  const opened = page.getByText('latch.installed', { exact: true })
  await expect(async () => {
    await row.getByRole('cell').first().click()
    await expect(opened).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await row.getByRole('cell').last().click()
  await expect(opened).toHaveCount(0)
  await row.getByRole('button').focus()
  await page.keyboard.press('Enter')
  await expect(opened).toBeVisible()
  await expect(row.getByRole('button')).toHaveAttribute('aria-expanded', 'true')
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
