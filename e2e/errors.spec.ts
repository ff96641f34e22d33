import { expect, test, type Locator, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial' })
const MACHINES = '/apis/cluster.x-k8s.io/v1beta2'
let mc: OwnSandbox
let known: string
let unknown: string

/** A failure for good, as a provider of before v1beta2 writes it. */
async function fail(at: number, failureReason: string, failureMessage: string): Promise<string> {
  const { name, namespace } = (await mc.admin.list(`${MACHINES}/machines`))[at]!.metadata
  const path = `${MACHINES}/namespaces/${namespace}/machines/${name}/status`
  await mc.admin.merge(path, { status: { deprecated: { v1beta1: { failureReason, failureMessage } } } })
  return name
}

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  mc = await ownSandbox('cluster-api')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, mc)
  await page.close()
  const gone = 'Machine infrastructure resource DevMachine fleet/w-1 has been deleted after provisioning was completed'
  known = await fail(0, 'InvalidConfiguration', gone)
  unknown = await fail(1, 'Odd', 'the flux capacitor is empty')
})
test.afterAll(() => mc?.stop())

/** From the list, where the row has the words already, to the drawer. */
async function drawer(page: Page, name: string, words: string): Promise<Locator> {
  await page.goto(`/machines?cluster=${mc.name}&q=error:yes`)
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText(words, { timeout: 30_000 })
  await row.getByRole('link').first().click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByRole('region', { name: 'Error' })).toBeVisible()
  return sheet
}

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const)
  test.describe(`${colorScheme}, ${width} wide`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } })

    test('an error that is known: what it means, that it does not pass, what to do, and its own words', async ({
      page,
    }, info) => {
      const sheet = await drawer(page, known, 'its DevMachine was deleted while the Machine still exists')
      await expect(sheet).toContainText(
        /Failed for good.*: its DevMachine was deleted while the Machine still exists\./,
      )
      const error = sheet.getByRole('region', { name: 'Error' })
      await expect(error).toContainText('Does not pass by itself')
      await expect(error).toContainText('deleted the infrastructure machine below a Machine that runs')
      await expect(error).toContainText('Delete the Machine: its group makes a new one.')
      await expect(error.locator('pre')).toContainText('has been deleted after provisioning was completed')
      await error.getByText('Where this is written').click()
      await expect(error).toContainText('machine_controller_phases.go')
      expect(await seriousIn(page)).toEqual([])
      expect(await sideways(page)).toBeLessThanOrEqual(0)
      await page.screenshot({ path: info.outputPath(`known-${colorScheme}-${width}.png`) })
    })

    test('one that is not: its own words, and that Drydock does not know it', async ({ page }, info) => {
      const sheet = await drawer(page, unknown, 'Odd: the flux capacitor is empty')
      const error = sheet.getByRole('region', { name: 'Error' })
      await expect(error).toContainText('Drydock does not know this error yet.')
      await expect(error.locator('pre')).toHaveText('Odd: the flux capacitor is empty')
      await expect(error).not.toContainText('Next step')
      expect(await seriousIn(page)).toEqual([])
      expect(await sideways(page)).toBeLessThanOrEqual(0)
      await page.screenshot({ path: info.outputPath(`unknown-${colorScheme}-${width}.png`) })
    })
  })

test('what a rollout is stuck on is said in the same words, with what to do', async ({ page }, info) => {
  await page.goto('/updates?tab=running&cluster=atlas')
  const row = page.getByRole('row').filter({ hasText: 'a disruption budget keeps' })
  await row.first().getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('a disruption budget keeps')
  const error = page.getByRole('region', { name: 'Error' })
  await expect(error).toContainText('Goes on by itself when it can; it usually takes 10 minutes')
  await expect(error).toContainText('run one more replica')
  await expect(error.locator('pre')).toContainText('cannot evict pod')
  await expect(page.getByRole('table', { name: 'Machines of this change' })).toContainText('a disruption budget keeps')
  expect(await seriousIn(page)).toEqual([])
  await page.screenshot({ path: info.outputPath('stuck.png') })
})
