import { expect, test, type Page } from '@playwright/test'
import { administrator } from './kit/cluster'
import { ControlPlane } from './kit/planes'
import { allTicked, chip, seriousIn, sideways } from './kit/steps'

const [FROM, TO] = ['v1.34.1', 'v1.34.2']
const NAME = 'payments-prod-cp'
test.describe.configure({ timeout: 240_000 })

async function open(page: Page): Promise<void> {
  await page.goto(`/updates?tab=waiting&q=${NAME}`)
  await page.getByRole('row').filter({ hasText: NAME }).getByRole('link').first().click()
}

const section = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Control plane' }) })
const step = (page: Page, done: number) =>
  page.getByText(`${done} of 3 machines, as approved; the next one waits for somebody.`).first()
const versions = async (plane: ControlPlane) => (await plane.machines()).map(([, version]) => version)
const updated = async (plane: ControlPlane) => (await versions(plane)).filter((version) => version === TO).length

test('a control plane: its etcd is shown before, and it goes one machine, then the next, then all others', async ({
  page,
}) => {
  const plane = new ControlPlane(administrator('atlas'), NAME)
  const before = await plane.machines()
  expect(before.map(([, version]) => version)).toEqual([FROM, FROM, FROM])
  const [[ill]] = before as [[string, unknown]]

  // An ill member is named, and what it means; whoever lets it go all the same types the name.
  await plane.ails(ill, 'Etcd reports alarms: NOSPACE')
  await page.goto(`/machines?q=${ill}`)
  await expect(page.getByText('NOSPACE').first()).toBeVisible({ timeout: 30_000 })
  await plane.raise(TO)
  await open(page)
  const row = section(page).getByRole('row').filter({ hasText: ill })
  await expect(row).toContainText('not healthy', { timeout: 30_000 })
  await expect(row).toContainText('EtcdMemberHealthy is false: Etcd reports alarms: NOSPACE')
  await expect(section(page)).toContainText('etcd has 3 members, 2 known to be healthy: it can lose none of them.')
  await expect(section(page)).toContainText('Its manager has not looked since it was paused')
  expect(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await page
    .getByRole('group', { name: 'Decide' })
    .getByRole('button', { name: /^Approve replacing/ })
    .click()
  const risky = page.getByRole('dialog')
  await expect(risky).toContainText(`The etcd member of ${ill} is not healthy`)
  await expect(risky.getByRole('button', { name: 'Approve replacing' })).toBeDisabled()
  expect(await seriousIn(page)).toEqual([])
  await risky.getByRole('button', { name: 'Cancel' }).click()

  // While it is held its manager does not look: it is changed back, gets well, and is written again.
  await plane.ails(ill, null)
  await plane.raise(FROM)
  await expect.poll(() => plane.paused(), { timeout: 30_000 }).toBe(false)
  await page.goto(`/machines?q=${ill}`)
  await expect(page.getByText('NOSPACE')).toHaveCount(0, { timeout: 30_000 })
  await plane.raise(TO)
  await open(page)
  await expect(section(page)).toContainText(
    'etcd has 3 members, all of them healthy: it can lose one of them and go on.',
  )
  await page
    .getByRole('group', { name: 'Decide' })
    .getByRole('button', { name: /^Approve in place/ })
    .click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('The control plane before it')
  await sheet.getByLabel('One machine, then wait').check()
  await expect(sheet).toContainText('is told to wait until somebody lets the next one go')
  await expect(sheet).toContainText('1 of 3 machines now; then it waits until somebody lets the next one go.')
  expect(await seriousIn(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Approve in place' }).click()
  // Wherever somebody had scrolled to, what came of it is in sight, and has the focus.
  await expect(sheet.locator('[role=group][tabindex="-1"]')).toBeFocused()
  await expect(sheet.getByText('Recorded')).toBeInViewport()
  await allTicked(sheet)
  await expect(sheet).toContainText('1 of 3 machines now; then it waits')
  await sheet.getByRole('button', { name: 'Close' }).last().click()

  await expect(step(page, 1)).toBeVisible({
    timeout: 60_000,
  })
  await expect(chip(page, '1 of 3 done, the next one waits').first()).toBeVisible({ timeout: 30_000 })
  expect(await updated(plane)).toBe(1)
  expect(await plane.paused()).toBe(true)
  expect(await seriousIn(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Next machine…' }).click()
  const next = page.getByRole('dialog')
  await expect(next).toContainText('1 machine is updated in place; then it waits for somebody again.')
  await expect(next).toContainText('etcd has 3 members')
  await expect(next).not.toContainText('While one is replaced')
  expect(await seriousIn(page)).toEqual([])
  await next.getByRole('button', { name: 'Next machine', exact: true }).click()
  await expect(step(page, 2)).toBeVisible({
    timeout: 60_000,
  })
  expect(await updated(plane)).toBe(2)
  await page.getByRole('button', { name: 'All others…' }).click()
  await next.getByRole('button', { name: 'All others', exact: true }).click()
  await expect(chip(page, 'Done').first()).toBeVisible({ timeout: 60_000 })
  expect((await plane.machines()).map(([name]) => name)).toEqual(before.map(([name]) => name))
  expect(await versions(plane)).toEqual([TO, TO, TO])
  await page.goto(`/activity?q=${NAME}`)
  await expect(page.getByText('let the next machine go, of the rollout of').first()).toBeVisible()
})
