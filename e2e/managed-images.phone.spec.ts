import { expect, test } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial', timeout: 240_000 })
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

test('managed boot images with a finger: the form, what becomes of each set, and the steps', async ({ page }) => {
  const [{ name }] = both as [OwnSandbox]
  await page.goto(`/boot-images?cluster=${name}`)
  const part = page.getByRole('region', { name: 'Managed boot images' })
  await part.getByRole('button', { name: 'Choose managed machine sets…' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Managed boot images' })
  await sheet.getByRole('button', { name: 'Add a line' }).tap()
  await sheet
    .getByLabel(/^Values/)
    .last()
    .fill('some')
  await expect(sheet.getByText('Type the name of a label.')).toBeVisible()
  expect.soft(await seriousIn(page)).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
  await sheet.getByText('All machine sets').tap()
  await expect(sheet.getByText('4 of 4 machine sets are managed then.')).toBeVisible()
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
  await sheet.getByRole('button', { name: 'Manage all machine sets' }).tap()
  await expect(sheet.getByRole('listitem').filter({ hasText: 'Taken up by the operator' })).toContainText('✓', {
    timeout: 30_000,
  })
  await sheet.getByRole('button', { name: 'Close' }).last().tap()
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
})

test('several clusters with a finger: chosen, and looked at before', async ({ page }) => {
  await page.goto('/boot-images?q=platform:aws')
  for (const { name } of both)
    await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').locator('xpath=..').tap()
  const bar = page.getByRole('region', { name: 'Selected clusters' })
  await expect(bar).toContainText('2 selected')
  const [ours, pages] = [await bar.boundingBox(), await page.getByRole('navigation', { name: 'Pages' }).boundingBox()]
  expect(ours!.y + ours!.height).toBeLessThanOrEqual(pages!.y)
  await bar.getByRole('button', { name: 'Acknowledge…' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Acknowledge boot image versions' })
  await expect(sheet.getByRole('button', { name: 'Acknowledge on 2 clusters' })).toBeEnabled({ timeout: 30_000 })
  expect.soft(await seriousIn(page)).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
})
