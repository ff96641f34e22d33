import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { allTicked, approveInPlace, removePolicy, seriousIn, sideways } from './kit/steps'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

async function writePolicy(page: Page, name: string, canary: Group, next: Group): Promise<void> {
  await page.goto('/policies/new')
  await page.locator('#page').getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Groups' }).fill(`${canary.name}, ${next.name}`)
  await page.getByRole('button', { name: 'Add a wave' }).press('Enter')
  const first = page.getByRole('group', { name: 'wave 1' })
  await expect(first.getByRole('textbox', { name: 'Wave 1' })).toBeFocused()
  await expect(first.getByRole('textbox', { name: 'Wave 1' })).toHaveValue('wave-1')
  await expect(first.getByRole('alert')).toHaveCount(0)
  await first.getByRole('textbox', { name: 'Wave 1' }).fill('Canary')
  await expect(first.getByRole('alert')).toHaveText(/lower-case letters/)
  await first.getByRole('textbox', { name: 'Wave 1' }).fill('canary')
  await first.getByLabel('Groups', { exact: true }).fill(canary.name)
  await first.getByLabel('Then it soaks for').fill('7d')
  await page.getByRole('button', { name: 'Add a wave' }).click()
  const second = page.getByRole('group', { name: 'wave 2' })
  await second.getByRole('textbox', { name: 'Wave 2' }).fill('others')
  await expect(page.getByRole('listitem').filter({ hasText: 'canary: 1 group' })).toContainText(canary.name)
  await expect(page.getByRole('listitem').filter({ hasText: 'others: 1 group' })).toContainText(next.name)
  expect(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  // Moved by the keyboard, which stays with it, and moved back.
  await page.getByRole('button', { name: 'Move wave 2 earlier' }).press('Enter')
  await expect(first.getByRole('textbox', { name: 'Wave 1' })).toHaveValue('others')
  await expect(page.getByRole('button', { name: 'Move wave 1 later' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(first.getByRole('textbox', { name: 'Wave 1' })).toHaveValue('canary')
  await second.getByRole('textbox', { name: 'Wave 2' }).press('End')
  await page.keyboard.type('x')
  await page.keyboard.press('Backspace')
  await expect(second.getByRole('textbox', { name: 'Wave 2' })).toBeFocused()
  await page.getByRole('button', { name: 'Save' }).click()
  const policies = page.getByRole('table', { name: 'Policies' })
  await expect(policies.getByRole('row').filter({ hasText: name })).toContainText(
    'in waves: canary (then 7d), then others',
  )
}

test('what is approved waits for its wave, which is stopped, let go on and skipped on a page of its own', async ({
  page,
}) => {
  const admin = administrator('atlas')
  const [canary, next] = [await Group.make(admin, 'canary'), await Group.make(admin, 'next')]
  const policy = `waves-${canary.name}`
  try {
    await writePolicy(page, policy, canary, next)
    await canary.raise(TO)
    await next.raise(TO)
    const kept = await approveInPlace(page, next.name)
    await expect(kept.getByRole('status').filter({ hasText: 'kept' })).toContainText('It goes by itself then')
    await kept.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText(/It is in wave 2 of 2 \(others\).*which waits: canary is not through/)).toBeVisible({
      timeout: 30_000,
    })
    expect(await next.paused()).toBe(true)

    await page.getByRole('link', { name: 'See the waves' }).click()
    const section = page.locator('#page section').filter({ hasText: `policy ${policy}` })
    const row = (wave: string) => section.getByRole('row').filter({ hasText: wave })
    await expect(row('others')).toContainText('canary is not through')
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await section.getByRole('button', { name: 'Stop all waves…' }).click()
    const stop = page.getByRole('dialog')
    await expect(stop).toContainText('2 groups are not through: ')
    await stop.getByLabel('Reason').fill('the dashboards are red')
    expect(await seriousIn(page)).toEqual([])
    await stop.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(section.getByText('“the dashboards are red”')).toBeVisible()
    await expect(row('others')).toContainText('stopped')
    await expect(section.getByRole('button', { name: 'Do not wait for it…' })).toHaveCount(0)
    await section.getByRole('button', { name: 'Let it go on…' }).click()
    await stop.getByLabel('Reason').fill('they are green again')
    await stop.getByRole('button', { name: 'Let it go on', exact: true }).click()
    await expect(section.getByRole('button', { name: 'Stop all waves…' })).toBeVisible()

    const sheet = await approveInPlace(page, canary.name)
    await allTicked(sheet)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await page.goto('/updates/waves')
    await expect(row('others')).toContainText('it soaks: canary is through', { timeout: 90_000 })
    expect(await next.paused()).toBe(true)
    // It soaks; somebody who cannot wait says why.
    await row('canary').getByRole('button', { name: 'Do not wait for it…' }).click()
    const skip = page.getByRole('dialog')
    await expect(skip).toContainText('It is through: the waves after it may go without its soaking.')
    await expect(skip.getByRole('button', { name: 'Do not wait for it' })).toBeDisabled()
    await skip.getByLabel('Reason').fill('a hole in the kernel')
    await skip.getByRole('button', { name: 'Do not wait for it' }).click()
    await expect.poll(() => next.paused(), { timeout: 30_000 }).toBe(false)
    await expect(row('canary')).toContainText('through, not waited for')
    // What opened the sheet is gone.
    await expect(section.getByRole('heading').first()).toBeFocused()
  } finally {
    await removePolicy(page, policy)
    await canary.remove()
    await next.remove()
  }
})

test('a wave begins with a reason where its policy asks for one, which is taken back; an edit of the wave ends what was said of it', async ({
  page,
}) => {
  const admin = administrator('atlas')
  const [canary, next] = [await Group.make(admin, 'first'), await Group.make(admin, 'asks')]
  const policy = `asks-${canary.name}`
  try {
    await page.goto('/policies/new')
    await page.locator('#page').getByLabel('Name', { exact: true }).fill(policy)
    await page.getByRole('textbox', { name: 'Groups' }).fill(`${canary.name}, ${next.name}`)
    await page.getByLabel('A reason').selectOption('yes')
    for (const [i, [name, group]] of [['canary', canary.name] as const, ['others', next.name] as const].entries()) {
      await page.getByRole('button', { name: 'Add a wave' }).click()
      const wave = page.getByRole('group', { name: `wave ${i + 1}` })
      await wave.getByRole('textbox', { name: `Wave ${i + 1}` }).fill(name)
      await wave.getByLabel('Groups', { exact: true }).fill(group)
      if (i === 1) await wave.getByLabel('It begins').selectOption('yes')
    }
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Policies' })).toBeVisible()
    await expect(page.getByRole('link', { name: policy, exact: true })).toBeVisible()
    await canary.raise(TO)
    await next.raise(TO)

    await page.goto('/updates/waves')
    const section = page.locator('#page section').filter({ hasText: `policy ${policy}` })
    const row = (wave: string) => section.getByRole('row').filter({ hasText: new RegExp(`^\\d ${wave}`) })
    await row('canary').getByRole('button', { name: 'Do not wait for it…' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Reason').fill('it is away')
    await sheet.getByRole('button', { name: 'Do not wait for it' }).click()
    await row('others').getByRole('button', { name: 'Begin…' }).click()
    await expect(sheet.getByText(`The policy ${policy} asks for one.`)).toBeVisible()
    await expect(sheet.getByRole('button', { name: 'Begin' })).toBeDisabled()
    await sheet.getByLabel('Reason').fill('the others first')
    expect(await seriousIn(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Begin' }).click()
    await expect(row('others').getByText('“the others first”')).toBeVisible()
    await expect(section.getByRole('heading').first()).toBeFocused()
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await row('others').getByRole('button', { name: 'Take back that it begins' }).press('Enter')
    await expect(row('others').getByRole('button', { name: 'Begin…' })).toBeVisible()
    await expect(section.getByRole('heading').first()).toBeFocused()
    await row('others').getByRole('button', { name: 'Begin…' }).click()
    await sheet.getByLabel('Reason').fill('after all')
    await sheet.getByRole('button', { name: 'Begin' }).click()
    await expect(row('others').getByText('“after all”')).toBeVisible()
    expect(await next.paused()).toBe(true)

    await section.getByRole('link', { name: `policy ${policy}` }).click()
    const second = page.getByRole('group', { name: 'wave 2' })
    await second.getByLabel('How many groups').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('table', { name: 'Policies' })).toBeVisible()
    await page.goto('/updates/waves')
    await expect(section.getByText(/said that others begins .*“after all”.*it counts no more/)).toBeVisible()
    await expect(row('others').getByRole('button', { name: 'Begin…' })).toBeVisible()
    // Of the wave before it nothing was edited.
    await expect(row('canary').getByText('“it is away”')).toBeVisible()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await seriousIn(page)).toEqual([])
      expect(await sideways(page)).toBeLessThanOrEqual(0)
    }
  } finally {
    await removePolicy(page, policy)
    await canary.remove()
    await next.remove()
  }
})
