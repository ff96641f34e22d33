import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'

test.describe.configure({ timeout: 180_000 })

test('an open sheet says what became of its change: superseded with the way to the newer one, then changed back', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'overtaken', 1)
  try {
    await group.raise('v1.33.7')
    await page.goto('/updates?tab=waiting')
    const row = page.getByRole('row').filter({ hasText: group.name })
    await row.getByRole('link').first().click()
    const decide = page.getByRole('group', { name: 'Decide' })
    const sheet = page.getByRole('dialog')
    await decide.getByRole('button', { name: /^Approve in place/ }).click()
    await expect(sheet.getByText('What will happen')).toBeVisible()
    await expect(sheet.locator('pre').first()).toContainText('(the version at that moment)')

    await group.raise('v1.33.8')
    await expect(sheet.getByRole('alert')).toContainText('A newer change took the place of this one.')
    await expect(sheet.getByText('What will happen')).toHaveCount(0)
    await expect(sheet.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText('Nothing holds it')).toHaveCount(0)
    await expect(page.getByText('A newer change took its place.').first()).toBeVisible()
    const old = page.url()
    await page.getByRole('link', { name: 'Review the newer change' }).click()
    await expect(page).not.toHaveURL(old)
    await expect(page.getByText(`${group.version} → v1.33.8`).first()).toBeVisible()

    await decide.getByRole('button', { name: /^Approve in place/ }).click()
    await expect(sheet.getByText('What will happen')).toBeVisible()
    await group.raise(group.version)
    await expect(sheet.getByRole('alert')).toContainText('It was changed back: nothing is left to decide.')
    await expect(sheet.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
    expect(await group.paused()).toBe(false)
  } finally {
    await group.remove()
  }
})
