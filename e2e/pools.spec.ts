import { expect, test, type Page } from '@playwright/test'
import { Client } from 'pg'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, allTicked, chip, connect, seriousIn, sideways } from './kit/steps'
import { readStack } from './support/constants'

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
    const body: unknown = await response.json().catch(() => null)
    // Asked in the moment in which the page was left.
    if (!body) return
    const shell = body as { clusters: { name: string; trouble: string | null }[] }
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
  // A name that is cut in the middle is copied whole.
  const name = await sheet.getByRole('heading', { level: 2 }).first().innerText()
  await expect.poll(() => page.getByRole('table').locator(`[title="${name}"]`).innerText()).toBe(name)
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

test('a pause whose review is due is left standing by keyboard, with a new date', async ({ page }) => {
  test.setTimeout(120_000)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await open(page, 'gpu')
  await page.getByRole('button', { name: 'Pause the pool' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Review on').fill(day(3))
  await sheet.getByRole('button', { name: 'Pause the pool' }).click()
  await allTicked(sheet)
  await page.keyboard.press('Escape')
  await expect(page.getByText(`to be reviewed on ${day(3)}`)).toBeVisible()
  const client = new Client({ connectionString: readStack().databaseUrl })
  await client.connect()
  await client.query(
    `UPDATE skew_action SET review_at = now() - interval '1 minute' WHERE kind = 'pool' AND action = 'pause'
       AND cluster_id = (SELECT id FROM management_cluster WHERE name = $1)`,
    [ocp.name],
  )
  await client.end()
  await page.reload()
  await expect(chip(page, 'review due')).toBeVisible()
  await expect(page.getByText(/due for review since \d{4}-\d\d-\d\d/)).toBeVisible()
  await page.getByRole('button', { name: 'It stays paused…' }).focus()
  await page.keyboard.press('Enter')
  await expect(sheet).toContainText('The pool is paused already: only the record here would be new.')
  expect.soft(await seriousIn(page, '[role=dialog]')).toEqual([])
  await sheet.getByLabel('Review on').fill(day(40))
  await sheet.getByRole('button', { name: 'Leave the pool paused' }).focus()
  await page.keyboard.press('Enter')
  await allTicked(sheet)
  await page.keyboard.press('Escape')
  await expect(page.getByText(`to be reviewed on ${day(40)}`)).toBeVisible()
  await expect(chip(page, 'review due')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'It stays paused…' })).toHaveCount(0)
})
