import { expect, test } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial', timeout: 240_000 })
const PATH = '/apis/operator.openshift.io/v1/machineconfigurations/cluster'
let both: OwnSandbox[] = []

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(240_000) // two clusters come up and are connected
  both = await Promise.all([ownSandbox('openshift'), ownSandbox('openshift')])
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  for (const one of both) await connect(page, one)
  await page.close()
})
test.afterAll(async () => {
  for (const one of both) await one.stop()
})

test('two are chosen and acknowledged; the one that was changed meanwhile is looked at again', async ({ page }) => {
  const [first, second] = both as [OwnSandbox, OwnSandbox]
  await page.goto('/boot-images?q=platform:aws')
  for (const { name } of both) {
    const row = page.getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('below the floor', { timeout: 60_000 })
    // All of it is there: rows that grow would move the bar below them away from the pointer.
    await expect(row).toContainText('may not join', { timeout: 60_000 })
    await row.getByRole('checkbox').check()
  }
  await expect(page).toHaveURL('/boot-images?q=platform:aws')
  const bar = page.getByRole('region', { name: 'Selected clusters' })
  await expect(bar).toContainText('2 selected')
  await bar.getByRole('button', { name: 'Acknowledge…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Acknowledge boot image versions' })
  await expect(sheet.getByLabel(`Oldest boot image in use of ${first.name}`)).toHaveValue('4.16.0')
  await sheet.getByLabel(`Oldest boot image in use of ${first.name}`).fill('4.18.0')
  await sheet.getByLabel('Reason').fill('the sets were renewed')
  await expect(sheet.getByText('Acknowledged: 4.18.0')).toBeVisible()
  await sheet.getByRole('checkbox', { name: /By the evidence 4\.18\.0 is not the oldest/ }).check()
  expect.soft(await seriousIn(page)).toEqual([])
  const press = sheet.getByRole('button', { name: 'Acknowledge on 2 clusters' })
  await expect(press).toBeEnabled()
  await second.admin.merge(PATH, { spec: { logLevel: 'Debug' } })
  await press.click()
  await expect(sheet.getByText(/1 did not get through/)).toBeVisible()
  const line = (name: string) => sheet.getByRole('listitem').filter({ hasText: name })
  await expect(line(second.name)).toContainText('changed meanwhile')
  await expect(line(first.name)).toContainText('done', { timeout: 30_000 })
  await sheet.getByRole('button', { name: 'Look again at that one…' }).click()
  await sheet.getByRole('button', { name: 'Acknowledge on 1 cluster' }).click()
  await expect(line(second.name)).toContainText('done', { timeout: 30_000 })
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(bar).toHaveCount(0)
  const versions = await Promise.all(both.map(async ({ admin }) => (await admin.get(PATH)).spec))
  expect(versions).toMatchObject([
    { bootImageSkewEnforcement: { manual: { ocpVersion: '4.18.0' } } },
    { bootImageSkewEnforcement: { manual: { ocpVersion: '4.16.0' } } },
  ])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
})

test('both are opted out of managed boot images and in again, each with its own writes and its own end', async ({
  page,
}) => {
  const modes = () =>
    Promise.all(
      both.map(async ({ admin }) => {
        const { managedBootImages } = (await admin.get(PATH)).spec as {
          managedBootImages?: { machineManagers: { selection: { mode: string } }[] }
        }
        return managedBootImages?.machineManagers[0]?.selection.mode
      }),
    )
  for (const [choice, verb, mode] of [
    ['No machine set', 'Manage no machine set on 2 clusters', 'None'],
    ['All machine sets', 'Manage all machine sets on 2 clusters', 'All'],
  ] as const) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/boot-images?q=platform:aws')
    for (const { name } of both)
      await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').check({ timeout: 60_000 })
    const bar = page.getByRole('region', { name: 'Selected clusters' })
    await bar.getByRole('button', { name: 'Managed images…' }).click()
    const sheet = page.getByRole('dialog', { name: 'Managed boot images' })
    await sheet.getByRole('radio', { name: choice }).check()
    await expect(sheet.getByText(/\d+ machine sets: /).first()).toBeVisible({ timeout: 30_000 })
    // Looked at when nothing of it is on its way any more.
    const press = sheet.getByRole('button', { name: verb })
    await expect(press).toBeEnabled({ timeout: 30_000 })
    for (const size of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size)
      expect.soft(await seriousIn(page, '[role=dialog]')).toEqual([])
      expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
    }
    await sheet.getByLabel('Reason').fill('images are built by us')
    await expect(press).toBeEnabled({ timeout: 30_000 })
    await press.click()
    for (const { name } of both)
      await expect(sheet.getByRole('listitem').filter({ hasText: name }).first()).toContainText('done', {
        timeout: 60_000,
      })
    expect(await modes()).toEqual([mode, mode])
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await expect(bar).toHaveCount(0)
  }
})
