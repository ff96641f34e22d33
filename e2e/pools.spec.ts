import { expect, test, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, allTicked, chip, connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial' })
const POOLS = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  ocp = await ownSandbox('openshift')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, ocp)
  await page.close()
})
test.afterAll(() => ocp?.stop())

async function open(page: Page, pool: string): Promise<void> {
  await page.goto(`/pools?cluster=${ocp.name}`)
  await page.getByRole('link', { name: pool, exact: true }).click({ timeout: 30_000 })
  await expect(page.getByRole('heading', { level: 1, name: pool })).toBeVisible()
}

test('pools stand worst first, and a paused one tells what waits, since when, and what differs', async ({ page }) => {
  await page.goto(`/pools?cluster=${ocp.name}`)
  const first = page.getByRole('table', { name: 'Machine Config pools' }).getByRole('row').nth(1)
  await expect(first).toContainText('paused, behind', { timeout: 30_000 })
  await expect(first).toContainText(
    'Paused and behind: its 2 nodes stay as they are while a configuration of 4.22.4 waits.',
  )
  expect.soft(await seriousIn(page)).toEqual([])
  await open(page, 'gpu')
  await expect(page.getByText('Paused, not from here.')).toBeVisible()
  await expect(page.getByText(/kube-apiserver-to-kubelet-signer, expires on/)).toBeVisible()
  await page.getByText('What differs').click()
  await expect(page.getByText('/etc/chrony.conf')).toBeVisible()
  await expect(page.getByText('Its content is a credential and is not shown.')).toBeVisible()
  expect.soft(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})

test('the line of old data begins with the cluster of the pool that is looked at', async ({ page }) => {
  // As if nobody followed any of them.
  await page.route('**/api/shell', async (route) => {
    const response = await route.fetch()
    const shell = (await response.json()) as { clusters: { name: string; trouble: string | null }[] }
    const clusters = shell.clusters.map((cluster) => ({ ...cluster, trouble: 'no worker follows it' }))
    const first = { ...clusters[0]!, id: 'another', name: '0-another' }
    await route.fulfill({ response, json: { ...shell, clusters: [first, ...clusters] } })
  })
  await open(page, 'gpu')
  const line = page.locator('[data-stale]')
  await expect(line).toContainText('0-another', { timeout: 30_000 })
  // Its sign stands before it.
  await expect(line).toHaveText(new RegExp(`^\\W*${ocp.name}: `))
})

test('where nothing is governed, nobody is asked to approve what a paused pool waits for', async ({ page }) => {
  await page.goto(`/updates?tab=waiting&cluster=${ocp.name}`)
  const row = page.getByRole('row').filter({ hasText: 'gpu' })
  await expect(row).toContainText('Paused by somebody', { timeout: 30_000 })
  await expect(row).not.toContainText(/approv/i)
  await row.getByRole('link').first().click()
  await expect(
    page.getByText('Nobody is asked: Drydock does not govern this pool, and it goes when that pause is taken away.'),
  ).toBeVisible()
  await expect(chip(page, 'Paused by somebody').first()).toBeVisible()
  await expect(page.getByRole('group', { name: 'Decide' })).toHaveCount(0)
  expect.soft(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})

test('a node of the hull opens its steps, and closes again', async ({ page }) => {
  await open(page, 'gpu')
  await page
    .getByRole('group', { name: /^Machines\./ })
    .getByRole('button')
    .first()
    .click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('Stays as it is: its pool is paused.')
  await expect(sheet.getByRole('link', { name: /^Open / })).toHaveAttribute('href', /\/machines\?machine=/)
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await expect(page).not.toHaveURL(/node=/)
})

test('the control plane’s pool is never paused from here', async ({ page }) => {
  await open(page, 'master')
  await expect(page.getByText('The pool master is never paused from here')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pause the pool' })).toHaveCount(0)
})

test('resuming shows what begins and the call, is ticked as it happens, and stands in the activity', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await open(page, 'gpu')
  await page.getByRole('button', { name: 'Resume the pool' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('2 nodes begin to take up the newest configuration (4.22.4), at most 1 at a time')
  await expect(sheet.locator('pre').first()).toContainText('"paused": false')
  expect.soft(await seriousIn(page, '[role=dialog]')).toEqual([])
  await sheet.getByLabel('Reason').fill('rotation is due')
  await sheet.getByRole('button', { name: 'Resume the pool' }).click()
  await allTicked(sheet)
  expect((await ocp.admin.get(`${POOLS}/gpu`)).spec.paused).toBe(false)
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('button', { name: 'Pause the pool' })).toBeVisible()
  const row = await activityRow(page, `pool.resumed ${ocp.name}`, 'resumed the pool')
  await expect(row).toContainText('rotation is due')
})
