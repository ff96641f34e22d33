import { expect, test, type Page } from '@playwright/test'
import { HOST } from '@/sandbox/controllers/names'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, allTicked, chip, connect, seriousIn, sideways } from './kit/steps'

/** A configuration of nodes that is held in the write that brings it, and let go by its approval. */
test.describe.configure({ mode: 'serial', timeout: 180_000 })
const MCO = '/apis/machineconfiguration.openshift.io/v1'
const POOL = `${MCO}/machineconfigpools/worker`
const CONFIG = 'rendered-worker-0123456789abcdef0123456789abcdef'
let ocp: OwnSandbox
let change = ''

test.beforeAll(async () => {
  test.setTimeout(180_000) // a cluster comes up
  ocp = await ownSandbox('openshift')
})
test.afterAll(() => ocp?.stop())

async function sound(page: Page, part?: string): Promise<void> {
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size)
    expect.soft(await seriousIn(page, part)).toEqual([])
    expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
  }
}

/** As the operator does: another rendered configuration, and the pool wants it. */
async function render(): Promise<void> {
  // Not one by one: there are many, and a test does not wait for an hour. And nobody brings a newer one meanwhile.
  const alone = { annotations: { [HOST.leftAlone]: '' } }
  await ocp.admin.merge(POOL, { metadata: alone, spec: { maxUnavailable: 20 } })
  const { spec } = await ocp.admin.get(POOL)
  const now = await ocp.admin.get(`${MCO}/machineconfigs/${(spec.configuration as { name: string }).name}`)
  const file = { path: '/etc/sysctl.d/99-swap.conf', contents: { source: 'data:,vm.swappiness%3D10%0A' } }
  const config = now.spec.config as { storage?: { files?: unknown[] } }
  const storage = { ...config.storage, files: [...(config.storage?.files ?? []), file] }
  await ocp.admin.create(`${MCO}/machineconfigs`, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: CONFIG, annotations: now.metadata.annotations },
    spec: { ...now.spec, config: { ...config, storage } },
  })
  await ocp.admin.merge(POOL, { spec: { configuration: { name: CONFIG } } })
}

const wanting = async (): Promise<number> => {
  const nodes = await ocp.admin.list('/api/v1/nodes')
  const key = 'machineconfiguration.openshift.io/desiredConfig'
  return nodes.filter(({ metadata }) => metadata.annotations?.[key] === CONFIG).length
}

test('where somebody chooses so, the API server holds a pool in the write of its configuration', async ({ page }) => {
  await connect(page, ocp)
  await page.getByRole('button', { name: 'Choose and install…' }).click({ timeout: 30_000 })
  const sheet = page.getByRole('dialog')
  // Held by pausing, where nobody says otherwise.
  await expect(sheet).toContainText('By then up to maxUnavailable nodes may have been told to take it up')
  await sheet.getByRole('radio', { name: /^Latched in the same write/ }).check()
  await expect(sheet).toContainText('drydock-machineconfigpools')
  await expect(sheet).toContainText('The pools master and arbiter are never held')
  await sound(page, '[role=dialog]')
  await sheet.getByRole('button', { name: 'Install the latch' }).click()
  await expect(sheet.getByRole('listitem').filter({ hasText: 'Accepted by the cluster' })).toContainText('✓', {
    timeout: 30_000,
  })
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(chip(page, 'intact').first()).toBeVisible({ timeout: 30_000 })
})

test('no node is told of it before it is approved, and its page says what it would do to each', async ({ page }) => {
  await render()
  expect((await ocp.admin.get(POOL)).spec.paused).toBe(true)
  await page.goto(`/updates?tab=waiting&cluster=${ocp.name}`)
  await page.getByRole('row').filter({ hasText: 'worker' }).getByRole('link').first().click({ timeout: 30_000 })
  await expect(page).toHaveURL(/\/updates\/[0-9a-f-]{36}/)
  change = new URL(page.url()).pathname
  await expect(page.getByText('The API server itself held the configuration in the write').first()).toBeVisible()
  await expect(page.getByText('/etc/sysctl.d/99-swap.conf').first()).toBeVisible()
  // Before anything moves: each node, in the operator's order, and what is done to it.
  await expect(page.getByText('At most 20 nodes at once: zone after zone')).toBeVisible({ timeout: 30_000 })
  await page.getByText('35 nodes, in their order').click()
  const turns = page.getByRole('table', { name: 'Nodes in the order of their turns' }).getByRole('row')
  await expect(turns).toHaveCount(36)
  // Not at once where the configuration before this one is still landing on a node.
  await expect(turns.nth(1)).toContainText(/(rebooted|another configuration than was compared).*(at once|after \d+ s)/)
  await expect(turns.nth(35)).toContainText(/after \d+ (s|min)/)
  // A configuration replaces no node.
  await expect(page.getByRole('button', { name: /^Approve replacing/ })).toHaveCount(0)
  expect(await wanting()).toBe(0)
  await sound(page)
  // Resumed by hand elsewhere it cannot be: its approval resumes it.
  await page.goto(`/pools?cluster=${ocp.name}`)
  await page.getByRole('link', { name: 'worker', exact: true }).click()
  await expect(page.getByText('Drydock holds it: approving its configuration resumes it.')).toBeVisible()
  await expect(page.getByRole('main').locator(`a[href="${change}"]`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resume the pool' })).toHaveCount(0)
  await sound(page)
})

test('what somebody paused themselves says so before anybody approves it, and in an operator’s terms what changes', async ({
  page,
}) => {
  await page.goto(`/updates?tab=waiting&cluster=${ocp.name}`)
  await page.getByRole('row').filter({ hasText: 'gpu' }).getByRole('link').first().click({ timeout: 30_000 })
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/would take up OS image 4\.\d+\.\d+ → 4/)
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('rendered-')
  const [paused, decide] = await Promise.all([
    page
      .getByText(/^Somebody paused the pool themselves/)
      .first()
      .boundingBox(),
    page.getByRole('group', { name: 'Decide' }).boundingBox(),
  ])
  expect(paused!.y).toBeLessThan(decide!.y)
  await sound(page)
})

test('approved, it is taken up node by node, and the page and the audit tell who let it go', async ({ page }) => {
  await page.goto(change)
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: 'Approve (35)' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.locator('pre').first()).toContainText('"paused": false')
  await sound(page, '[role=dialog]')
  await sheet.getByLabel(/^Reason/).fill('swap is too eager')
  await sheet.getByRole('button', { name: /^Approve\b/ }).click()
  await allTicked(sheet)
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect.poll(wanting, { timeout: 60_000 }).toBeGreaterThan(0)
  await expect(chip(page, 'Done').first()).toBeVisible({ timeout: 150_000 })
  await expect(page.getByRole('heading', { level: 1, name: 'Done: 35 updated in place.' })).toBeVisible()
  await expect(page.getByText('Stays as it is')).toHaveCount(0)
  expect(await wanting()).toBe(35)
  await sound(page)
  const row = await activityRow(page, `change.approved ${ocp.name}`, 'approved')
  await expect(row).toContainText('swap is too eager')
})
