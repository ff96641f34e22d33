import { expect, test, type Locator, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, chip, connect, seriousIn, sideways } from './kit/steps'
import { readStack } from './support/constants'

/** What an administrator does on the page of one cluster, in the order of its life. */
test.describe.configure({ mode: 'serial' })
let own: OwnSandbox
let address = ''
test.beforeAll(async () => {
  test.setTimeout(180_000) // a cluster comes up
  own = await ownSandbox('cluster-api')
})
test.afterAll(async () => own?.stop())

const EXTENSIONS = '/apis/runtime.cluster.x-k8s.io/v1beta2/extensionconfigs'
const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'
const DEPLOYMENTS = '/apis/cluster.x-k8s.io/v1beta2/machinedeployments'

const section = (page: Page, title: string): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

/** Opens a sheet with the keyboard, as somebody without a pointer does. */
async function sheetOf(page: Page, button: string): Promise<Locator> {
  await page.goto(address)
  const opener = page.getByRole('button', { name: button })
  await expect(async () => {
    await opener.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return page.getByRole('dialog')
}

async function ticked(sheet: Locator, ...labels: string[]): Promise<void> {
  for (const label of labels)
    await expect(sheet.getByRole('listitem').filter({ hasText: label })).toContainText('✓', { timeout: 30_000 })
}

async function fits(page: Page): Promise<void> {
  expect.soft(await seriousIn(page, '[role=dialog]')).toEqual([])
  expect.soft(await sideways(page)).toBeLessThanOrEqual(0)
}

test('the gate is shown before it is registered, and is discovered afterwards', async ({ page }) => {
  await connect(page, own)
  address = new URL(page.url()).pathname
  await expect(chip(page, 'connected')).toBeVisible({ timeout: 30_000 })
  const gate = section(page, 'Update gate')
  await expect(gate).toContainText('not registered')
  const sheet = await sheetOf(page, 'Register the gate…')
  await expect(sheet.locator('pre')).toContainText('kind: ExtensionConfig')
  expect(await own.admin.list(EXTENSIONS)).toHaveLength(0)
  await fits(page)
  await sheet.getByRole('button', { name: 'Register', exact: true }).click()
  await ticked(sheet, 'Recorded', 'Accepted by the cluster', 'Seen: Cluster API has discovered it')
  expect(await own.admin.list(EXTENSIONS)).toHaveLength(1)
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(gate).toContainText('Registered and discovered')
  await activityRow(page, `gate.registered ${own.name}`, 'registered the gate as')
})

test('other groups are governed: said before, in the cluster afterwards', async ({ page }) => {
  const installing = await sheetOf(page, 'Choose and install…')
  await expect(installing.locator('pre')).toContainText('kind: MutatingAdmissionPolicy')
  await installing.getByRole('button', { name: 'Install the latch' }).click()
  await ticked(installing, 'Recorded', 'Accepted by the cluster', 'Seen: a trial write was held')
  await installing.getByRole('button', { name: 'Done' }).click()
  await expect(chip(page, 'intact')).toBeVisible()

  const sheet = await sheetOf(page, 'Change what is governed…')
  const go = sheet.getByRole('button', { name: /^Govern / })
  await expect(go).toBeDisabled()
  await expect(sheet.getByText('This is how it is governed now.')).toBeVisible()
  await sheet.getByLabel('Which groups').selectOption('object-label')
  await sheet.getByLabel('Label', { exact: true }).fill('not a label')
  await expect(sheet.getByRole('alert')).toContainText('This is not a label key')
  await sheet.getByLabel('Label', { exact: true }).fill('team.example/governed')
  await expect(sheet.getByText('Groups labelled team.example/governed=true are governed')).toBeVisible()
  await expect(sheet.locator('pre')).toContainText('team.example/governed')
  expect(JSON.stringify(await own.admin.list(BINDINGS))).not.toContain('team.example/governed')
  await sheet.getByLabel('Ask for a reason with every approval').check()
  await expect(go).toBeEnabled()
  await fits(page)
  await go.click()
  await ticked(sheet, 'Recorded', 'Accepted by the cluster')
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Drydock governs labelled groups')).toContainText('Every approval asks for a reason.')
  const stored = JSON.stringify([...(await own.admin.list(BINDINGS)), ...(await own.admin.list(POLICIES))])
  expect(stored).toContain('team.example/governed')

  const back = await sheetOf(page, 'Change what is governed…')
  await back.getByLabel('Which groups').selectOption('all')
  await back.getByRole('button', { name: 'Govern every group' }).click()
  await ticked(back, 'Recorded', 'Accepted by the cluster', 'Seen: a trial write was held')
  await activityRow(page, `policy.changed ${own.name}`, 'changed what is governed on')
})

test('the latch is removed only with what it leaves unguarded named; that stays paused', async ({ page }) => {
  const [group] = await own.admin.list(DEPLOYMENTS)
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${group!.metadata.namespace}/machinedeployments/${group!.metadata.name}`
  await own.admin.merge(path, { spec: { template: { spec: { version: 'v1.35.9' } } } })
  const annotations = async () => (await own.admin.get(path)).metadata.annotations ?? {}
  expect(await annotations()).toHaveProperty(['drydock.dev/held'])

  const sheet = await sheetOf(page, 'Remove the latch…')
  await expect(sheet.getByText(`MachineDeployment ${group!.metadata.namespace}/${group!.metadata.name}`)).toBeVisible()
  await expect(sheet.locator('pre')).toContainText('DELETE /apis/admissionregistration.k8s.io/')
  const go = sheet.getByRole('button', { name: 'Remove the latch' })
  await expect(go).toBeDisabled()
  await fits(page)
  expect((await own.admin.list(POLICIES)).length).toBeGreaterThan(0)
  await sheet.getByLabel(`Type ${own.name} to confirm`).fill(own.name)
  await go.click()
  await ticked(sheet, 'Recorded', 'Accepted by the cluster', 'Seen: nothing of it is left')
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('One group that was held before stays paused and unguarded')).toBeVisible()
  expect(await own.admin.list(POLICIES)).toHaveLength(0)
  expect(await annotations()).toHaveProperty(['cluster.x-k8s.io/paused'])
  await activityRow(page, `latch.removed ${own.name}`, 'removed the latch from')
})

test('credentials are replaced by others of the same cluster only, and the watch comes back', async ({ page }) => {
  const sheet = await sheetOf(page, 'Replace credentials…')
  const field = sheet.getByLabel('Kubeconfig', { exact: true })
  const go = sheet.getByRole('button', { name: 'Replace credentials' })
  await field.fill(readStack().clusters.find(({ name }) => name === 'atlas')!.kubeconfig)
  await sheet.getByRole('button', { name: 'Test the connection' }).click()
  await go.click()
  await expect(sheet.getByRole('alert')).toContainText('This kubeconfig leads to another cluster')
  await fits(page)
  await field.fill(own.kubeconfig)
  await expect(go).toBeDisabled() // what was tested is not what stands there now
  await sheet.getByRole('button', { name: 'Test the connection' }).click()
  await go.click()
  await ticked(sheet, 'Recorded', 'Accepted by the cluster', 'Seen in the watch')
  await page.keyboard.press('Escape')
  await expect(chip(page, 'connected')).toBeVisible()
  await activityRow(page, `cluster.credentials-replaced ${own.name}`, 'replaced the credentials of')
})
