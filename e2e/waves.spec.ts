import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { Group } from './kit/groups'
import { allTicked, approveInPlace, removePolicy, seriousIn, sideways } from './kit/steps'

const TO = 'v1.33.7'
test.describe.configure({ timeout: 180_000 })

async function writePolicy(page: Page, name: string, canary: Group, next: Group): Promise<void> {
  await page.goto('/policies/new')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Groups' }).fill(`${canary.name}, ${next.name}`)
  await page.getByRole('button', { name: 'Add a wave' }).click()
  const first = page.getByRole('group', { name: 'wave 1' })
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
    await expect(kept.getByRole('status').filter({ hasText: 'kept' })).toContainText('it goes by itself then')
    await kept.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText(/It is in wave 2 of 2 \(others\).*which waits: canary is not through/)).toBeVisible({
      timeout: 30_000,
    })
    expect(await next.paused()).toBe(true)

    await page.getByRole('link', { name: 'See the waves' }).click()
    const section = page.locator('section').filter({ hasText: `policy ${policy}` })
    const row = (wave: string) => section.getByRole('row').filter({ hasText: wave })
    await expect(row('others')).toContainText('canary is not through')
    expect(await seriousIn(page)).toEqual([])
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await section.getByRole('button', { name: 'Stop all waves…' }).click()
    const stop = page.getByRole('dialog')
    await stop.getByLabel('Reason').fill('the dashboards are red')
    expect(await seriousIn(page)).toEqual([])
    await stop.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(section.getByText('“the dashboards are red”')).toBeVisible()
    await section.getByRole('button', { name: 'Let it go on' }).click()
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
    await expect(skip.getByRole('button', { name: 'Do not wait for it' })).toBeDisabled()
    await skip.getByLabel('Reason').fill('a hole in the kernel')
    await skip.getByRole('button', { name: 'Do not wait for it' }).click()
    await expect.poll(() => next.paused(), { timeout: 30_000 }).toBe(false)
  } finally {
    await removePolicy(page, policy)
    await canary.remove()
    await next.remove()
  }
})
