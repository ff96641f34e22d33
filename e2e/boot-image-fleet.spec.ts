import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect } from './kit/steps'

test.describe.configure({ mode: 'serial' })
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  ocp = await ownSandbox('openshift')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, ocp)
  await page.goto(`/boot-images?cluster=${ocp.name}`)
  await expect(page.getByRole('article', { name: ocp.name })).toBeVisible({ timeout: 30_000 })
  await page.close()
})
test.afterAll(() => ocp?.stop())

test('the fleet is a table: narrowed by text and by counts, and one cluster of it is a page', async ({ page }) => {
  await page.goto('/boot-images?q=nodes:likely')
  const table = page.getByRole('table', { name: 'OpenShift clusters' })
  const row = table.getByRole('row').filter({ hasText: ocp.name })
  await expect(row).toContainText('below the floor')
  await expect(row).toContainText('4.12.7')
  await page.getByRole('searchbox').fill(`cluster:${ocp.name}`)
  await expect(page.getByRole('status').filter({ hasText: '1 cluster' })).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(2)
  await page.getByRole('link', { name: /^AWS/ }).first().click()
  await expect(page).toHaveURL(/platform%3AAWS|platform:AWS/)
  await row.getByRole('link', { name: ocp.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Boot images of ${ocp.name}` })).toBeVisible()
  const card = page.getByRole('article', { name: ocp.name })
  await expect(card).toContainText('1 OpenShift minor release below the floor.')
  await expect(card).toContainText('Machine sets are not managed as a whole')
  await page
    .getByRole('navigation', { name: 'State of the boot image' })
    .getByRole('link', { name: /custom/ })
    .click()
  await expect(page.getByRole('table', { name: `Machine sets of ${ocp.name}` }).getByRole('row')).toHaveCount(2)
  await page.getByRole('link', { name: 'All OpenShift clusters' }).click()
  await expect(page).toHaveURL('/boot-images')
})

test('nothing that matches says so, and a slip in the filter is named', async ({ page }) => {
  await page.goto('/boot-images?q=verdict:fine')
  await expect(page.locator('#page').getByText('There is no verdict “fine”')).toBeVisible()
  await page.goto('/boot-images?q=nothing-has-this-name')
  await expect(page.getByText('No cluster matches.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filter and scope' }).click()
  await expect(page).toHaveURL('/boot-images')
})

test('the machine sets of all clusters, and what is exported is what is shown', async ({ page }) => {
  await page.goto(`/boot-images?tab=sets&q=cluster:${ocp.name}`)
  const table = page.getByRole('table', { name: 'Machine sets' })
  await expect(table.getByRole('row').filter({ hasText: 'custom' })).toHaveCount(1)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('drydock-boot-images-sets.csv')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[0]).toContain('cluster,platform,version,kind,machine set')
  expect(lines.length).toBe(await table.getByRole('row').count())
  for (const line of lines.slice(1)) expect(line).toContain(ocp.name)
})
