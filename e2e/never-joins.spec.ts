import { expect, test, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial' })
let gcp: OwnSandbox
let azure: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(240_000) // two clusters come up and are connected
  gcp = await ownSandbox('openshift', 9, ['--platform', 'GCP'])
  azure = await ownSandbox('openshift', 9, ['--platform', 'Azure'])
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  for (const cluster of [gcp, azure]) await connect(page, cluster)
  await page.close()
})
test.afterAll(async () => {
  await gcp?.stop()
  await azure?.stop()
})

/** In every light and on a phone. */
async function looks(page: Page, name: string): Promise<void> {
  for (const [scheme, width] of [
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    expect(await seriousIn(page), `${name}, ${scheme}, ${width}`).toEqual([])
    expect(await sideways(page), `${name}, ${width}`).toBe(0)
    await page.screenshot({ path: test.info().outputPath(`${name}-${scheme}-${width}.png`), fullPage: width === 390 })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}

async function drawer(page: Page, cluster: string, words: string) {
  await page.goto(`/machines?cluster=${cluster}&q=state:failed`)
  const row = page.getByRole('row').filter({ hasText: words })
  await expect(row).toBeVisible({ timeout: 30_000 })
  await row.getByRole('link').first().click()
  const why = page.getByRole('dialog').getByRole('region', { name: 'Why it does not join' })
  await expect(why).toBeVisible()
  return why
}

test('what needs somebody names the image that keeps a machine from joining', async ({ page }) => {
  await page.goto(`/?cluster=${gcp.name}`)
  await expect(page.getByText('never joined, most likely because of its boot image').first()).toBeVisible({
    timeout: 30_000,
  })
  await expect(page.getByText(/rhcos-412-86-202303211731-0-gcp-x86-64 is of RHCOS/)).toBeVisible()
})

test('an image below the floor: evidence, the console, the image of the set, then the machine', async ({ page }) => {
  const why = await drawer(page, gcp.name, 'most likely because of its boot image')
  await expect(page.getByRole('dialog')).toContainText(
    'It never joined the cluster, most likely because of its boot image',
  )
  await expect(why.getByRole('list', { name: 'Evidence' })).toContainText('RHEL 8.6), which is below RHEL 9.2')
  await expect(why.getByRole('list', { name: 'Evidence' })).toContainText('the Secret legacy-user-data is not known')
  const steps = why.getByRole('list', { name: 'Way out' }).getByRole('listitem')
  await expect(steps.nth(0)).toContainText('gcloud compute instances get-serial-port-output')
  await expect(steps.nth(2)).toContainText('oc delete machines.machine.openshift.io')
  await looks(page, 'too-old')
  await steps
    .nth(1)
    .getByRole('link', { name: `Boot images of ${gcp.name}` })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: `Boot images of ${gcp.name}` })).toBeVisible()
})

test('the image of the release is not the cause, and other causes come first', async ({ page }) => {
  const why = await drawer(page, azure.name, 'not because of its boot image')
  await expect(why).toContainText('not its boot image')
  await expect(why.getByRole('list', { name: 'Way out' }).getByRole('listitem').first()).toContainText('oc get csr')
})

test('nodes by the image they started from, the worst first, each with its machines', async ({ page }) => {
  await page.goto(`/boot-images?tab=nodes&q=cluster:${gcp.name}`)
  const table = page.getByRole('table', { name: 'Nodes by boot image' })
  const rows = table.getByRole('row')
  await expect(rows.nth(1)).toContainText('below the floor')
  await expect(rows.nth(1)).toContainText('one does not join')
  await expect(rows.nth(1)).toContainText('RHCOS 412.86.202303211731-0')
  await expect(table.getByRole('row').filter({ hasText: 'current' })).not.toHaveCount(0)
  await looks(page, 'nodes')
  await rows
    .nth(1)
    .getByRole('link', { name: /nodes? of/ })
    .click()
  await expect(page).toHaveURL(/\/machines\?q=/)
  await expect(page.getByRole('row').filter({ hasText: 'legacy' })).toHaveCount(3)
  await page.goto(`/boot-images?tab=nodes&q=verdict:below`)
  await expect(page.getByRole('row').filter({ hasText: gcp.name })).toHaveCount(1)
})
