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
