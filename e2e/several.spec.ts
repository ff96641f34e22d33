import { expect, test, type Page } from '@playwright/test'
import { bar, box, removeAll, severalWaiting } from './kit/several'
import { activityRow, seriousIn, sideways } from './kit/steps'
import { stateFile } from './support/constants'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

const fits = async (page: Page): Promise<void> => {
  expect.soft(await seriousIn(page)).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
}

test('by keyboard: three are approved in place, and the one that became another meanwhile is refused', async ({
  page,
}) => {
  const groups = await severalWaiting(page, 'keys', 3, TO)
  const [moved, ...others] = groups
  try {
    const chosen = bar(page).getByRole('status')
    await expect(async () => {
      await page.keyboard.press('j')
      await expect(page.locator('tr[data-cursor]')).toHaveCount(1, { timeout: 500 })
    }).toPass()
    await page.keyboard.press('x')
    await expect(chosen).toContainText('1 selected')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+x')
    await expect(chosen).toContainText('3 selected')
    // The list is read anew all the time, and what is chosen stays.
    await groups[1]!.orders('Newest')
    await page.keyboard.press('x')
    await expect(chosen).toContainText('2 selected')
    await page.keyboard.press('x')
    await fits(page)
    await page.keyboard.press('a')
    const sheet = page.getByRole('dialog', { name: 'Approve in place' })
    await expect(sheet).toContainText('3 updates are approved in place. No machine is deleted.')
    await sheet.getByLabel(/^Reason/).fill('All of them')
    await moved!.raise('v1.33.8')
    await expect(page.getByText('v1.33.8').first()).toBeAttached({ timeout: 30_000 })
    await sheet.getByLabel(/^Reason/).press('Tab')
    await expect(sheet.getByRole('button', { name: 'Approve 3 in place' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(sheet.getByRole('status')).toHaveText('2 approved, 1 refused.', { timeout: 60_000 })
    await expect(sheet.getByRole('listitem').first()).toContainText(moved!.name)
    await expect(sheet.getByRole('listitem').first()).toContainText(
      /changed while you were looking|This change is over/,
    )
    await fits(page)
    await page.keyboard.press('Escape')
    await expect(bar(page)).toContainText(new RegExp(`Not selected any more: \\S+ / \\S+ / ${moved!.name}\\.`))
    for (const group of others)
      await expect.poll(async () => [...(await group.machines()).values()], { timeout: 60_000 }).toEqual([TO])
    expect(await moved!.paused()).toBe(true)
    expect([...(await moved!.machines()).values()]).toEqual([moved!.version])
    const event = await activityRow(page, `change.approved ${others[0]!.name}`, 'approved the change of')
    await expect(event).toContainText('All of them')
  } finally {
    await removeAll(groups)
  }
})

test('a range by pointer, rejected together; what drops out meanwhile says so', async ({ page }) => {
  const groups = await severalWaiting(page, 'range', 3, TO)
  const [first, second, third] = groups as [(typeof groups)[0], (typeof groups)[0], (typeof groups)[0]]
  try {
    await box(page, first).click()
    await box(page, third).click({ modifiers: ['Shift'] })
    await expect(box(page, second)).toBeChecked()
    await expect(bar(page)).toContainText('3 selected')
    await second.raise('v1.33.8')
    await expect(bar(page)).toContainText('2 selected', { timeout: 30_000 })
    await expect(bar(page)).toContainText(new RegExp(`Not selected any more: \\S+ / \\S+ / ${second.name}\\.`))
    await bar(page).getByRole('button', { name: 'Reject…' }).click()
    const sheet = page.getByRole('dialog', { name: 'Reject' })
    await expect(sheet).toContainText('2 updates stay held, marked as rejected.')
    await sheet.getByLabel(/^Reason/).fill('Not before the audit')
    await sheet.getByRole('button', { name: 'Reject 2' }).click()
    await expect(sheet.getByRole('status')).toHaveText('2 rejected.')
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(bar(page)).toHaveCount(0)
    for (const { name } of [first, third])
      await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Not before the audit')
    for (const group of [first, third]) expect(await group.paused()).toBe(true)
  } finally {
    await removeAll(groups)
  }
})

for (const theme of ['light', 'dark'] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme })
    test('all of a page, and what each way would do', async ({ page }) => {
      await page.goto('/updates?tab=waiting')
      const rows = page.locator('main tbody').getByRole('checkbox')
      await page.getByRole('checkbox', { name: /^Select all \d+ on this page$/ }).check()
      const n = await rows.count()
      for (const one of await rows.all()) await expect(one).toBeChecked()
      await expect(bar(page)).toContainText(`${n} selected`)
      await fits(page)
      for (const [button, title] of [
        ['Approve in place…', 'Approve in place'],
        ['Approve replacing…', 'Approve replacing'],
        ['Reject…', 'Reject'],
      ] as const) {
        await bar(page).getByRole('button', { name: button }).click()
        const sheet = page.getByRole('dialog', { name: title })
        await expect(sheet.getByRole('heading', { name: 'What will happen' })).toBeVisible()
        await fits(page)
        await page.keyboard.press('Escape')
        await expect(sheet).toHaveCount(0)
        await expect(bar(page).getByRole('button', { name: button })).toBeFocused()
      }
      await bar(page).getByRole('button', { name: 'Clear' }).click()
      await expect(bar(page)).toHaveCount(0)
      for (const one of await rows.all()) await expect(one).not.toBeChecked()
    })
  })
}

for (const [role, offered] of [
  ['viewer', null],
  ['operator', ['Reject…', 'Clear']],
] as const) {
  test.describe(role, () => {
    test.use({ storageState: stateFile(role) })
    test('is offered what the role allows', async ({ page }) => {
      await page.goto('/updates?tab=waiting')
      await expect(page.locator('main tbody tr').first()).toBeVisible()
      const boxes = page.locator('main').getByRole('checkbox')
      if (!offered) return expect(boxes).toHaveCount(0)
      await boxes.first().check()
      await expect(bar(page).getByRole('button')).toHaveText(offered)
    })
  })
}
