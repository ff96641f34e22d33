import { expect, test, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, allTicked, connect, seriousIn, sideways } from './kit/steps'

test.describe.configure({ mode: 'serial' })
const ACKS = '/api/v1/namespaces/openshift-config/configmaps/admin-acks'
const GATE = 'ack-4.22-api-removals-in-4.23'
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  ocp = await ownSandbox('openshift')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, ocp)
  await page.close()
})
test.afterAll(() => ocp?.stop())

const acks = async (): Promise<Record<string, string>> =>
  ((await ocp.admin.get(ACKS)) as unknown as { data?: Record<string, string> }).data ?? {}
const reason = (page: Page, name: string) => page.locator('main li').filter({ hasText: name })

async function open(page: Page): Promise<void> {
  await page.goto('/upgradeable')
  await page.getByRole('link', { name: ocp.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: /updates beyond 4\.22/i })).toBeVisible({ timeout: 30_000 })
}

test('every reason with who says so and the exact patch', async ({ page }) => {
  await open(page)
  await expect(page.getByRole('heading', { name: /^2 reasons keep updates beyond 4\.22 closed/ })).toBeVisible()
  const operator = reason(page, 'machine-config')
  await expect(operator).toContainText('below the minimum required version 4.13.0')
  await expect(operator).toContainText('PATCH /apis/operator.openshift.io/v1/machineconfigurations/cluster')
  await expect(operator.getByRole('link', { name: 'See boot images' })).toBeVisible()
  await expect(reason(page, GATE)).toContainText('no longer serves some beta APIs')
  await expect(page.locator('main li').filter({ hasText: '4.23.1' })).toContainText('closed')
  await expect(page.locator('main li').filter({ hasText: '4.22.6' })).toContainText('open')
})

test('a gate is acknowledged by its text, ticked as it truly happens, and taken back', async ({ page }) => {
  await open(page)
  await reason(page, GATE).getByRole('button', { name: 'Acknowledge' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByText('no longer serves some beta APIs')).toBeVisible()
  await expect(sheet).toContainText(`"${GATE}": "true"`)
  await expect(sheet).toContainText('The API server would store this.')
  expect.soft(await seriousIn(page)).toEqual([])
  expect(await acks()).toEqual({})
  await sheet.getByLabel('Reason').fill('Nothing asks for them any more.')
  await sheet.getByRole('button', { name: 'Acknowledge' }).click()
  await allTicked(sheet)
  expect(await acks()).toEqual({ [GATE]: 'true' })
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('heading', { name: /^One reason keeps/ })).toBeVisible()
  const done = page.locator('main li').filter({ hasText: GATE })
  await expect(done).toContainText('“Nothing asks for them any more.”')
  await expect(await activityRow(page, ocp.name, 'acknowledged a gate')).toContainText(
    'Nothing asks for them any more.',
  )

  await open(page)
  await done.getByRole('button', { name: 'Take back' }).click()
  await sheet.getByRole('button', { name: 'Take back' }).click()
  await allTicked(sheet)
  expect(await acks()).toEqual({})
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})
