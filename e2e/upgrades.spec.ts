import { expect, test } from '@playwright/test'
import { administrator } from './kit/cluster'
import { chip, seriousIn, sideways } from './kit/steps'

test.describe.configure({ timeout: 240_000 })
const TO = 'v1.34.3'
const CLUSTER = '/apis/cluster.x-k8s.io/v1beta2/namespaces/payments/clusters/payments-stage'
const PLANES = '/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/payments/kubeadmcontrolplanes'

test('the version of a managed Cluster waits before anything of it is touched, and goes to its control plane first', async ({
  page,
}) => {
  const admin = administrator('atlas')
  const { controlPlaneRef } = (await admin.get(CLUSTER)).spec as { controlPlaneRef: { name: string } }
  const plane = () => admin.get(`${PLANES}/${controlPlaneRef.name}`)
  const { version } = (await plane()).spec
  await admin.merge(CLUSTER, { spec: { topology: { version: TO } } })

  await page.goto('/updates?tab=waiting&q=payments-stage')
  const rows = page.getByRole('row').filter({ hasText: `${String(version)} → ${TO}` })
  await expect(rows).toHaveCount(2)
  await rows.filter({ hasText: 'control plane' }).getByRole('link').first().click()
  const upgrade = page.getByRole('region', { name: `The upgrade of payments-stage to ${TO}` })
  await expect(upgrade).toContainText('BeforeClusterUpgrade')
  await expect(upgrade).toContainText('as Drydock answers')
  await expect(upgrade.getByRole('list', { name: 'Groups of this upgrade' }).getByRole('listitem')).toHaveCount(2)
  expect(await seriousIn(page)).toEqual([])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  expect((await plane()).spec.version).toBe(version)
  expect((await plane()).metadata.annotations ?? {}).not.toHaveProperty('cluster.x-k8s.io/paused')

  await page
    .getByRole('group', { name: 'Decide' })
    .getByRole('button', { name: /^Approve replacing/ })
    .click()
  const sheet = page.getByRole('dialog')
  await expect(sheet).toContainText(`When Cluster API asks whether the group may have ${TO}, it answers yes`)
  await sheet.getByRole('textbox', { name: new RegExp(controlPlaneRef.name) }).fill(controlPlaneRef.name)
  await sheet.getByRole('button', { name: /^Approve replacing/ }).click()
  await expect.poll(async () => (await plane()).spec.version, { timeout: 60_000 }).toBe(TO)
  await page.keyboard.press('Escape')
  await expect(chip(page, 'Under way')).toBeVisible({ timeout: 30_000 })
  await expect(chip(page, 'Done')).toBeVisible({ timeout: 150_000 })
  await expect(upgrade).toContainText('said that the control plane has it (AfterControlPlaneUpgrade)', {
    timeout: 60_000,
  })

  await page.goto('/updates?tab=waiting&q=payments-stage')
  await page.getByRole('row').filter({ hasText: 'deployment' }).getByRole('link').first().click()
  await expect(page.getByText('BeforeWorkersUpgrade').first()).toBeVisible({ timeout: 30_000 })
})
