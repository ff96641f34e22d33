import { expect, test, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, chip, connect, seriousIn, sideways } from './kit/steps'

/** An API server that can carry no latch: Drydock watches, and pauses what changed. */
test.describe.configure({ mode: 'serial' })
let own: OwnSandbox
let address = ''
test.beforeAll(async () => {
  test.setTimeout(180_000) // a cluster comes up
  own = await ownSandbox('cluster-api', 12, ['--kubernetes', 'v1.29.14'])
})
test.afterAll(async () => own?.stop())

const DEPLOYMENTS = '/apis/cluster.x-k8s.io/v1beta2/machinedeployments'

async function fits(page: Page, part?: string): Promise<void> {
  expect.soft(await seriousIn(page, part)).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
}

test('what watching is worth is said before it is chosen; afterwards the page says that Drydock watches', async ({
  page,
}) => {
  await connect(page, own)
  address = new URL(page.url()).pathname
  await expect(page.getByText(/older than Kubernetes 1\.30 and can carry no latch/)).toBeVisible({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Choose and install…' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('Nothing is installed in the cluster.')
  for (const words of ['after it was stored', 'no worker of Drydock runs', 'There is no guard', 'MachinePools'])
    await expect(sheet).toContainText(words)
  await fits(page, '[role=dialog]')
  await sheet.getByRole('button', { name: 'Watch and pause' }).click()
  for (const label of ['Recorded', 'Accepted by the cluster', 'Seen: Drydock watches the groups'])
    await expect(sheet.getByRole('listitem').filter({ hasText: label })).toContainText('✓', { timeout: 30_000 })
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(chip(page, 'watching').first()).toBeVisible()
  await expect(page.getByText('anybody who may edit a group can take its pause away.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Repair' })).toHaveCount(0)
  await fits(page)
  await activityRow(page, `latch.installed ${own.name}`, 'had Drydock watch, and pause what changes, on')
})

test('a change is paused when it is seen, and its page says that it was late', async ({ page }) => {
  const [group] = await own.admin.list(DEPLOYMENTS)
  const { name, namespace } = group!.metadata
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/machinedeployments/${name}`
  await own.admin.merge(path, { spec: { template: { spec: { version: 'v1.35.9' } } } })
  const held = async () => (await own.admin.get(path)).metadata.annotations?.['drydock.dev/held']
  await expect.poll(held, { timeout: 30_000 }).toContain('after it was stored')
  await page.goto(`/updates?tab=waiting&cluster=${own.name}`)
  await page
    .getByRole('link', { name: new RegExp(name) })
    .first()
    .click()
  await expect(page.getByText(/It was paused only after it had been stored\./)).toBeVisible({ timeout: 30_000 })
  await fits(page)
})

test('stopped, it names what stays paused, and nothing new is held', async ({ page }) => {
  await page.goto(address)
  await page.getByRole('button', { name: 'Stop watching…' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText('Drydock pauses nothing new here')
  await expect(sheet).toContainText('MachineDeployment ')
  await expect(sheet.getByText('What Drydock will do to the cluster')).toHaveCount(0)
  await sheet.getByLabel(/^Type /).fill(own.name)
  await sheet.getByRole('button', { name: 'Stop watching', exact: true }).click()
  await expect(sheet.getByRole('listitem').filter({ hasText: 'Recorded' })).toContainText('✓', { timeout: 30_000 })
  await expect(page.getByRole('dialog', { name: `Stop watching ${own.name}` })).toBeVisible()
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('the latch is not installed', { exact: false }).first()).toBeVisible()
})
