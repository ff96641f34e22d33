import { expect, test, type Locator, type Page } from '@playwright/test'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, connect, seriousIn } from './kit/steps'

test.describe.configure({ mode: 'serial', timeout: 180_000 })
const PATH = '/apis/operator.openshift.io/v1/machineconfigurations/cluster'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
let ocp: OwnSandbox

test.beforeAll(async ({ browser }, info) => {
  test.setTimeout(180_000) // a cluster comes up and is connected
  ocp = await ownSandbox('openshift')
  const page = await browser.newPage({ baseURL: info.project.use.baseURL, storageState: info.project.use.storageState })
  await connect(page, ocp)
  await page.close()
})
test.afterAll(() => ocp?.stop())

interface Spec {
  bootImageSkewEnforcement?: { mode: string; manual?: { ocpVersion?: string } }
  managedBootImages?: { machineManagers: { resource: string; selection: { mode: string } }[] }
}
const specOf = async (): Promise<Spec> => (await ocp.admin.get(PATH)).spec as Spec
const modeOf = async () =>
  (await specOf()).managedBootImages?.machineManagers.find((m) => m.resource === 'machinesets')?.selection.mode

async function section(page: Page): Promise<Locator> {
  await page.goto(`/boot-images?cluster=${ocp.name}`)
  const found = page.getByRole('region', { name: 'Managed boot images' })
  await expect(found).toBeVisible({ timeout: 30_000 })
  return found
}
const step = (within: Locator, words: string | RegExp) => within.getByRole('listitem').filter({ hasText: words })
const done = (within: Locator, words: string | RegExp) =>
  expect(step(within, words).first()).toContainText('✓', { timeout: 30_000 })

/** An administrator's policy that refuses every change of which machine sets are managed. */
async function refuseManaging(): Promise<void> {
  const same = 'object.spec.managedBootImages == oldObject.spec.managedBootImages'
  await ocp.admin.create(`${ADMISSION}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'e2e-images' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            ...{ apiGroups: ['operator.openshift.io'], apiVersions: ['*'] },
            ...{ operations: ['UPDATE'], resources: ['machineconfigurations'] },
          },
        ],
      },
      validations: [{ expression: same, message: 'boot images belong to the platform team' }],
    },
  })
  await ocp.admin.create(`${ADMISSION}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'e2e-images' },
    spec: { policyName: 'e2e-images', validationActions: ['Deny'] },
  })
}
async function allowManaging(): Promise<void> {
  await ocp.admin.remove(`${ADMISSION}/validatingadmissionpolicybindings/e2e-images`)
  await ocp.admin.remove(`${ADMISSION}/validatingadmissionpolicies/e2e-images`)
}
async function choose(page: Page): Promise<Locator> {
  await (await section(page)).getByRole('button', { name: 'Choose managed machine sets…' }).click()
  return page.getByRole('dialog', { name: 'Managed boot images' })
}
const narrowed = async (page: Page): Promise<Locator> => {
  const sheet = await choose(page)
  await sheet.getByRole('radio', { name: /^No machine set/ }).check()
  // What the operator had recorded by then may still be that of before its pass.
  await sheet.getByLabel('Oldest boot image in use').fill('4.16.0')
  await expect(sheet.getByText('Until the next write the way back is: Let the operator record')).toBeVisible()
  return sheet
}

test('all machine sets: before, what becomes of each; after, what the operator did', async ({ page }) => {
  const part = await section(page)
  await expect(part).toContainText('Partial, 1 of 4')
  await expect(part).toContainText('example.com/boot-image=managed')
  const sheet = await choose(page)
  await expect(sheet.getByLabel('Label', { exact: true })).toHaveValue('example.com/boot-image')
  await sheet.getByLabel('Values').fill('b c')
  await expect(sheet.getByText('b c is no value of a label')).toBeVisible()
  await expect(sheet.getByRole('button', { name: 'Manage those that match' })).toBeDisabled()
  await sheet.getByLabel('Values').fill('managed')
  await expect(sheet.locator('pre').first()).toContainText('oc -n openshift-machine-api label machineset/')
  await sheet.getByRole('radio', { name: /^All machine sets/ }).check()
  await expect(sheet.getByText('4 of 4 machine sets are managed then.')).toBeVisible()
  await expect(step(sheet, 'gpu').filter({ hasText: 'skipped' }).first()).toBeVisible()
  expect.soft(await seriousIn(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Manage all machine sets' }).click()
  await done(sheet, 'Taken up by the operator')
  expect(await modeOf()).toBe('All')
  await sheet.getByRole('button', { name: 'Close' }).last().click()
  await expect(part).toContainText('What has changed since', { timeout: 30_000 })
  await expect(part).toContainText(/Another image since then/, { timeout: 30_000 })
  await expect(page.getByRole('article', { name: ocp.name })).toContainText('mode Automatic', { timeout: 30_000 })
  const row = await activityRow(page, `managed.set ${ocp.name}`, 'chose the machine sets whose boot image is managed')
  await expect(row).toContainText('managed.set')
})

test('from Automatic it takes two writes; the second is refused, it stands there after a reload, and goes back', async ({
  page,
}) => {
  // prettier-ignore
  const sheet = await narrowed(page)
  await expect(sheet.getByText('2 writes')).toBeVisible()
  await expect(sheet.getByText('What the API server says to the first, as a dry run')).toBeVisible()
  await refuseManaging()
  try {
    await sheet.getByRole('button', { name: 'Manage no machine set' }).click()
    await done(sheet, /Record 4/)
    await expect(sheet.getByText(/belong to the platform team/).first()).toBeVisible({ timeout: 30_000 })
    expect(await specOf()).toMatchObject({ bootImageSkewEnforcement: { mode: 'Manual' } })
  } finally {
    await allowManaging()
  }
  const part = await section(page)
  await done(part, /Record 4/)
  await expect(step(part, 'Manage no machine set')).toContainText('✕')
  await part.getByRole('button', { name: 'Go back…' }).click()
  const back = page.getByRole('dialog', { name: 'Go back' })
  await expect(back.locator('pre').first()).toContainText('"bootImageSkewEnforcement": null')
  await back.getByRole('button', { name: 'Let the operator record by itself again' }).click()
  await expect(part).toContainText('Cancelled: of its 2 steps 1 was stored, and is taken back.', { timeout: 30_000 })
  expect((await specOf()).bootImageSkewEnforcement).toBeUndefined()
  expect(await modeOf()).toBe('All')
})

test('or on, and the operator has taken it up', async ({ page }) => {
  await expect(async () => {
    await section(page)
    await expect(page.getByRole('article', { name: ocp.name })).toContainText('mode Automatic', { timeout: 2_000 })
  }).toPass()
  const sheet = await narrowed(page)
  await refuseManaging()
  try {
    await sheet.getByRole('button', { name: 'Manage no machine set' }).click()
    await expect(sheet.getByText(/belong to the platform team/).first()).toBeVisible({ timeout: 30_000 })
  } finally {
    await allowManaging()
  }
  // Somebody else writes meanwhile: it goes on for what is there then, also after a reload.
  await ocp.admin.merge(PATH, { spec: { logLevel: 'Debug' } })
  await sheet.getByRole('button', { name: 'Go on' }).click()
  await expect(sheet.getByText(/Somebody else changed/).first()).toBeVisible({ timeout: 30_000 })
  const part = await section(page)
  const verdict = page.getByRole('article', { name: ocp.name })
  await expect(verdict).toContainText('stands half way. Of its 2 steps 1 was stored, and no more.')
  await expect(verdict.getByRole('button', { name: 'Leave it as it stands' })).toBeVisible()
  await expect(verdict.getByRole('button', { name: 'Opt out of enforcement' })).toBeHidden()
  await part.getByRole('button', { name: 'Go on…' }).click()
  const on = page.getByRole('dialog', { name: 'Go on' })
  await expect(on).toContainText('It says now: Manual,')
  await expect(on.getByText('The API server would store this.')).toBeVisible({ timeout: 30_000 })
  await on.getByRole('button', { name: 'Manage no machine set' }).click()
  await expect(on).toBeHidden({ timeout: 30_000 })
  await expect(part).toContainText('of no machine set current', { timeout: 30_000 })
  expect(await modeOf()).toBe('None')
})

test('beside it stand the cluster’s pools and its updates, with where they are in full', async ({ page }) => {
  await section(page)
  await expect(page.getByRole('link', { name: 'All reasons and gates' })).toHaveAttribute('href', /upgradeable/)
  await page.getByRole('link', { name: 'worker', exact: true }).click()
  await expect(page).toHaveURL(/\/pools\//)
})
