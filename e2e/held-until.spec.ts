import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { removePolicy, seriousIn, sideways } from './kit/steps'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)

test('where its policy wants new machines they are what is shown; an approval that ends before the freeze promises nothing', async ({
  page,
}) => {
  const group = await Group.make(administrator('atlas'), 'early', 3)
  const policy = `early-${group.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await page.getByLabel('Strategy').selectOption('replace')
    await page.getByLabel('An approval lasts').fill('8h')
    await page.getByRole('button', { name: 'Add a freeze' }).click()
    const freeze = page.getByRole('group', { name: 'freeze 1' })
    await freeze.getByLabel('Time zone').fill('Europe/Berlin')
    await freeze.getByLabel('Starts').fill('2026-01-01T00:00')
    await freeze.getByRole('textbox').nth(1).fill(inDays(10))
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(
      page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ hasText: policy }),
    ).toBeVisible()

    await group.raise(TO)
    await page.goto(`/updates?tab=waiting&q=${group.name}`)
    const row = page.getByRole('row').filter({ hasText: group.name })
    await expect(row).toContainText('3 replace', { timeout: 30_000 })
    await expect(row).toContainText('What is approved now expires at')
    await row.getByRole('link', { name: group.name }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('would be replaced')
    await expect(page.getByRole('heading', { level: 1 })).not.toContainText('in place')
    await expect(
      page.getByText(/until \d{4}-\d\d-\d\d \d\d:\d\d UTC \(.*\d\d:\d\d in Europe\/Berlin\)/).first(),
    ).toBeVisible()

    await page.getByRole('button', { name: /^Approve replacing/ }).click()
    const sheet = page.getByRole('dialog')
    await expect(sheet).toContainText(/What is approved now expires at .*, before it may go, at the earliest at /)
    await expect(sheet).not.toContainText('goes by itself')
    expect(await seriousIn(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Approve replacing' }).click()
    const kept = sheet.getByRole('status').filter({ hasText: 'kept' })
    await expect(kept).toContainText(`let approvals last longer (expiresAfter in the policy ${policy})`)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText('Approved, and expires before it may go')).toBeVisible()
    await expect(page.getByText(/The approval expires at .*: approve it again after/)).toBeVisible()
    // Once more, when that is of use.
    await expect(page.getByRole('button', { name: /^Approve replacing/ })).toBeVisible()
    await expect(page.getByText('nothing more is asked of anybody')).toHaveCount(0)
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.goto('/')
    await expect(page.getByRole('listitem').filter({ hasText: group.name })).toContainText('The approval expires at')
    await removePolicy(page, policy)
  } finally {
    await group.remove()
  }
})
