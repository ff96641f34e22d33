import { expect, test, type Locator, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, allTicked, connect } from './kit/steps'

test.describe.configure({ mode: 'serial' })
const PATH = '/apis/operator.openshift.io/v1/machineconfigurations/cluster'
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  ocp = await ownSandbox('openshift')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, ocp)
  await page.close()
})
test.afterAll(() => ocp?.stop())

const skewOf = async (): Promise<Record<string, unknown> | undefined> =>
  (await ocp.admin.get(PATH)).spec.bootImageSkewEnforcement as Record<string, unknown> | undefined

async function card(page: Page): Promise<Locator> {
  await page.goto(`/boot-images?cluster=${ocp.name}`)
  const article = page.getByRole('article', { name: ocp.name })
  await expect(article).toBeVisible({ timeout: 30_000 })
  return article
}
/** An administrator's policy that refuses every change of the configuration, in words of its own. */
async function refuseWrites(): Promise<void> {
  await ocp.admin.create(POLICIES, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'e2e-frozen' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['operator.openshift.io'],
            apiVersions: ['*'],
            operations: ['UPDATE'],
            resources: ['machineconfigurations'],
          },
        ],
      },
      validations: [{ expression: 'false', message: 'frozen until Monday by the platform team' }],
    },
  })
  await ocp.admin.create(BINDINGS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'e2e-frozen' },
    spec: { policyName: 'e2e-frozen', validationActions: ['Deny'] },
  })
}
async function allowWrites(): Promise<void> {
  await ocp.admin.remove(`${BINDINGS}/e2e-frozen`)
  await ocp.admin.remove(`${POLICIES}/e2e-frozen`)
}

test('below the floor: evidence, and acknowledging changes the cluster as it was shown', async ({ page }) => {
  const article = await card(page)
  await expect(article).toContainText('Boot image 4.12.7 is below the floor 4.13.0. Updates are closed.')
  await expect(article.getByText('Evidence')).toBeVisible()
  await article.getByRole('button', { name: 'Acknowledge 4.16.0' }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByRole('textbox', { name: 'Oldest boot image in use' })).toHaveValue('4.16.0')
  await expect(sheet.getByText(`PATCH ${PATH}`)).toBeVisible()
  await expect(sheet.locator('pre').first()).toContainText('"ocpVersion": "4.16.0"')
  expect(await skewOf()).toBeUndefined()

  await sheet.getByRole('textbox', { name: 'Oldest boot image in use' }).fill('4.16')
  await expect(sheet.getByRole('alert')).toContainText(/4\.16|version/)
  await expect(sheet.getByRole('button', { name: /^Acknowledge/ })).toBeDisabled()
  await sheet.getByRole('textbox', { name: 'Oldest boot image in use' }).fill('4.99.0')
  await expect(sheet.getByText('Confirm the version first.')).toBeVisible()
  await expect(sheet.getByRole('button', { name: 'Acknowledge 4.99.0' })).toBeDisabled()
  await sheet.getByRole('checkbox', { name: /no machine can have started from it/ }).check()
  await expect(sheet.getByRole('button', { name: 'Acknowledge 4.99.0' })).toBeEnabled()
  await sheet.getByRole('textbox', { name: 'Oldest boot image in use' }).fill('4.16.0')
  await expect(sheet.getByText('Confirm the version first.')).toHaveCount(0)
  await sheet.getByLabel('Reason').fill('The machine sets were renewed in 2024')
  await sheet.getByRole('button', { name: 'Acknowledge 4.16.0' }).click()
  await allTicked(sheet)
  expect(await skewOf()).toMatchObject({ mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.16.0' } })
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  // It is the same button by its place; its words have changed.
  await expect(article.getByRole('button', { name: 'Change the acknowledged version' })).toBeFocused()
  await expect(article).toContainText('in range')
  await expect(article).toContainText('Acknowledged as 4.16.0 by The admin')
  await expect(article.getByRole('button', { name: 'Change the acknowledged version' })).toBeVisible()
  await expect(article.getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0)
  const row = await activityRow(page, `skew.acknowledged ${ocp.name}`, 'acknowledged the boot image of')
  await expect(row).toContainText('The machine sets were renewed in 2024')
  await expect(page.getByRole('row').filter({ hasText: 'acknowledged the boot image of' }).first()).toContainText(
    '4.16.0',
  )
})

/** Opting out, refused between looking and pressing. */
async function refused(page: Page, article: Locator): Promise<Locator> {
  await article.getByRole('button', { name: 'Opt out of enforcement' }).click()
  const sheet = page.getByRole('dialog')
  const press = sheet.getByRole('button', { name: 'Opt out of enforcement' })
  await expect(press).toBeEnabled()
  // A slip does not cost what was written, also where what follows is looked at all the time.
  const reason = sheet.getByLabel('Reason')
  await reason.fill('half a sent')
  await page.keyboard.press('Escape')
  await expect(sheet.getByText('What you wrote is not sent yet.')).toBeVisible()
  await reason.fill('')
  await refuseWrites()
  try {
    await press.click()
    await expect(sheet.getByText(/frozen until Monday by the platform team/).first()).toBeVisible()
    expect(await skewOf()).toMatchObject({ mode: 'Manual' })
  } finally {
    await allowWrites()
  }
  return sheet
}

test('a refused decision stands on the page with whose it is, until it is left', async ({ page }) => {
  const article = await card(page)
  const sheet = await refused(page, article)
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(article.getByText('Opt out of enforcement, by The admin')).toBeVisible()
  await page.reload()
  await article.getByRole('button', { name: 'Leave it' }).click()
  await expect(article.getByText('Opt out of enforcement, by The admin')).toHaveCount(0)
  await expect(article.getByText(/frozen until Monday/)).toHaveCount(0)
  expect(await skewOf()).toMatchObject({ mode: 'Manual' })
})

test('the API server refuses between looking and pressing: its words, and Retry', async ({ page }) => {
  const article = await card(page)
  const sheet = await refused(page, article)
  await sheet.getByRole('button', { name: 'Retry' }).click()
  await allTicked(sheet)
  expect(await skewOf()).toMatchObject({ mode: 'None' })
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(article).toContainText('not enforced')
  const row = await activityRow(page, `skew.failed ${ocp.name}`, 'the cluster refused')
  await expect(row).toContainText('frozen until Monday by the platform team')
})

test('a dry run that is refused cannot be pressed', async ({ page }) => {
  const article = await card(page)
  await refuseWrites()
  try {
    await article.getByRole('button', { name: /^Acknowledge/ }).click()
    const sheet = page.getByRole('dialog')
    await expect(sheet.getByText(/frozen until Monday by the platform team/).first()).toBeVisible()
    await expect(sheet.getByRole('button', { name: /^Acknowledge/ })).toBeDisabled()
  } finally {
    await allowWrites()
  }
})

test('returning to automatic takes the stanza away', async ({ page }) => {
  const article = await card(page)
  await article.getByRole('button', { name: 'Return to automatic' }).click()
  const sheet = page.getByRole('dialog')
  await sheet
    .getByRole('checkbox', { name: /This closes updates beyond 4\.22, which boot images do not close now/ })
    .check()
  await sheet.getByRole('button', { name: 'Let the operator decide' }).click()
  await allTicked(sheet)
  expect(await skewOf()).toBeUndefined()
  const row = await activityRow(page, `skew.returned ${ocp.name}`, 'returned boot images to automatic for')
  await expect(row).toContainText('skew.returned')
})
