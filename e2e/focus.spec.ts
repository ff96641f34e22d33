import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { approveInPlace, focused, removePolicy } from './kit/steps'

test.describe.configure({ timeout: 180_000 })

test('whoever decides by the keyboard stays where that was decided', async ({ page }) => {
  const group = await Group.make(administrator('atlas'), 'focus')
  const policy = `two-${group.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(group.name)
    await page.getByLabel('Approvals').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('link', { name: policy, exact: true })).toBeVisible()
    await group.raise('v1.33.7')
    const sheet = await approveInPlace(page, group.name)
    await sheet.getByText('Your approval is kept.').waitFor()
    // What opened it has become another button.
    const back = page.getByRole('button', { name: 'Take back', exact: true }).first()
    await page.keyboard.press('Escape')
    await expect(sheet).toHaveCount(0)
    await expect(back).toBeVisible()
    await expect.poll(() => focused(page)).not.toBe('nothing')
    // By a key: a button that becomes grey while it acts would lose the focus, and then it is gone.
    await back.press('Enter')
    expect(await focused(page)).not.toBe('nothing')
    await expect(page.getByRole('button', { name: 'Take back', exact: true })).toHaveCount(0)
    await expect.poll(() => focused(page)).not.toBe('nothing')
    // A slip does not cost what was written.
    await page.getByRole('button', { name: 'Approve in place' }).first().press('Enter')
    const reason = page.getByRole('dialog').getByLabel('Reason')
    await reason.fill('half a sent')
    await page.keyboard.press('Escape')
    await expect(page.getByText('What you wrote is not sent yet.')).toBeVisible()
    await expect(reason).toHaveValue('half a sent')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  } finally {
    await removePolicy(page, policy)
    await group.remove()
  }
})

test('the editor of policies moves the focus to what is added, keeps it when that is removed, and what was typed', async ({
  page,
}) => {
  const name = 'e2e-focus'
  await page.goto('/policies/new')
  await page.locator('#page').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Groups' }).fill('nobody')
  await page.getByLabel('Approvals').fill('2')
  for (const n of [1, 2]) {
    await page.getByRole('button', { name: 'Add a freeze' }).press('Enter')
    const freeze = page.getByRole('group', { name: `freeze ${n}` })
    await expect(freeze.getByLabel('Starts')).toBeFocused()
  }
  await page.getByRole('button', { name: 'Remove freeze 2' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Add a freeze' })).toBeFocused()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByLabel('Approvals')).toHaveValue('2')

  // Left by the navigation, and opened again.
  await page.getByLabel('Approvals').fill('3')
  await page.getByRole('link', { name: 'Fleet' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(/Policy/)
  await page.getByRole('link', { name: 'Policies' }).first().click()
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByText('This is what you typed before, and did not save.')).toBeVisible()
  await expect(page.getByLabel('Approvals')).toHaveValue('3')
  await page.getByRole('button', { name: 'Throw it away' }).press('Enter')
  await expect(page.getByLabel('Approvals')).toHaveValue('2')
  await expect.poll(() => focused(page)).toBe(`Policy ${name}`)
  await removePolicy(page, name)
})
