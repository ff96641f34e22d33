import { expect, test, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial' })
const PLATFORMS = ['AWS', 'GCP']
const CONFIGURATION = '/apis/operator.openshift.io/v1/machineconfigurations/cluster'
const MAP = '/api/v1/namespaces/openshift-machine-config-operator/configmaps/coreos-bootimages'
let clusters: OwnSandbox[] = []
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(240_000) // two clusters come up and are connected
  for (const platform of PLATFORMS) clusters.push(await ownSandbox('openshift', 9, ['--platform', platform]))
  ocp = clusters[0]!
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  for (const cluster of clusters) await connect(page, cluster)
  await page.close()
})
test.afterAll(async () => {
  for (const cluster of clusters) await cluster.stop()
  clusters = []
})

async function article(page: Page, { name }: OwnSandbox) {
  await page.goto(`/boot-images?cluster=${name}`)
  const card = page.getByRole('article', { name })
  await expect(card).toBeVisible({ timeout: 30_000 })
  return card
}
const shot = async (page: Page, name: string) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: test.info().outputPath(`${name}-${colorScheme}.png`), fullPage: true })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

test('beside the version that is acknowledged stands the control plane’s set, whose image may be older', async ({
  page,
}) => {
  const card = await article(page, ocp)
  await card.getByRole('button', { name: /^Acknowledge/ }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Oldest boot image in use').fill('4.22.4')
  await expect(sheet.getByText(/^The control plane’s own set is not counted in that/)).toBeVisible()
  await shot(page, 'acknowledge')
})

test('without its ConfigMap every pass fails: the cause, beside the verdict, in no more room than there is', async ({
  page,
}) => {
  for (const { admin } of clusters) await admin.remove(MAP)
  for (const cluster of clusters) {
    const card = await article(page, cluster)
    await expect(card.getByText(/coreos-bootimages/).first()).toBeVisible({ timeout: 60_000 })
    await expect(card.getByText(/is Degraded from the end of such a pass/)).toBeVisible({ timeout: 60_000 })
    await shot(page, `cluster-${cluster.name}`)
    expect.soft(await sideways(page), cluster.name).toBe(0)
  }
})

test('the fleet keeps what is below the floor red, on a phone as well', async ({ page }) => {
  await page.goto(`/?cluster=${ocp.name}`)
  const row = page.getByRole('table', { name: 'Workload clusters' }).getByRole('row').nth(1)
  await expect(row.getByText(/^✕\s*below the floor$/).locator('visible=true')).toHaveCount(1)
  await expect(row.getByText('last pass failed').locator('visible=true')).toHaveCount(1)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(row.getByText(/^✕\s*below the floor$/).locator('visible=true')).toHaveCount(1)
  expect(await sideways(page)).toBe(0)
  // Its column is narrow there, and cuts off what has no room.
  const cell = await row.getByRole('cell').first().boundingBox()
  for (const words of ['below the floor', 'last pass failed']) {
    const box = await row.getByText(words).locator('visible=true').boundingBox()
    expect(box!.x + box!.width, words).toBeLessThanOrEqual(cell!.x + cell!.width)
  }
  await shot(page, 'fleet-390')
})

test('in Automatic it closes updates: why, and what closes them after the repair', async ({ page }) => {
  await ocp.admin.merge(CONFIGURATION, { spec: { bootImageSkewEnforcement: null, managedBootImages: null } })
  const card = await article(page, ocp)
  await expect(card.getByText(/^✕\s*update failing$/)).toBeVisible({ timeout: 60_000 })
  await expect(card).toContainText('is below the floor 4.13.0')
  await expect(card.getByText(/coreos-bootimages/).first()).toHaveClass(/text-blocked/)
  // Its version is below the floor, whatever the verdict is about.
  await expect(card.getByRole('img', { name: /^Recorded .*, below the floor, floor/ })).toBeVisible()
  await shot(page, 'automatic')
  await page.goto('/boot-images')
  await page.getByRole('link', { name: /^The operator fails to update boot images in \d+ cluster/ }).click()
  await expect(page).toHaveURL(/failing%3Ayes/)
  const table = page.getByRole('table', { name: 'OpenShift clusters' })
  for (const { name } of clusters)
    await expect(table.getByRole('row').filter({ hasText: name })).toContainText('"coreos-bootimages" not found')
  await shot(page, 'list')
  await page.goto('/boot-images?q=operator:fails')
  await expect(page.locator('#filter-problems')).not.toBeEmpty()
  await expect(page.getByRole('link', { name: 'Export CSV' })).toHaveCount(0)
})
