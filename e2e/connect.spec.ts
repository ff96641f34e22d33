import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { parse, stringify } from 'yaml'
import { ownSandbox, type OwnSandbox } from './kit/sandbox'
import { activityRow, chip, connect, saveConnection, seriousIn } from './kit/steps'
import { readStack } from './support/constants'

test.describe.configure({ mode: 'serial' })
let pasted: OwnSandbox
let dropped: OwnSandbox
test.beforeAll(async () => {
  test.setTimeout(180_000) // two clusters come up
  ;[pasted, dropped] = await Promise.all([ownSandbox('cluster-api'), ownSandbox('openshift')])
})
test.afterAll(async () => {
  await Promise.all([pasted?.stop(), dropped?.stop()])
})

interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, unknown> }[]
  users: { name: string; user: Record<string, unknown> }[]
  contexts: { name: string; context: Record<string, unknown> }[]
}
/** A good kubeconfig made hostile. */
function hostile(change: (config: Kubeconfig) => void): string {
  const config = parse(readStack().clusters[0]!.kubeconfig) as Kubeconfig
  change(config)
  return stringify(config)
}
const cluster = (config: Kubeconfig): Record<string, unknown> => config.clusters[0]!.cluster
const user = (config: Kubeconfig): Record<string, unknown> => config.users[0]!.user

const REFUSED: [what: string, sentence: RegExp, change: (config: Kubeconfig) => void][] = [
  ['exec', /exec/, (c) => (user(c).exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' })],
  ['an auth provider', /auth.?provider/i, (c) => (user(c)['auth-provider'] = { name: 'gcp' })],
  ['a token file', /file/, (c) => (user(c).tokenFile = '/etc/shadow')],
  ['a CA file', /file/, (c) => (cluster(c)['certificate-authority'] = '/etc/passwd')],
  ['no verification', /insecure-skip-tls-verify/, (c) => (cluster(c)['insecure-skip-tls-verify'] = true)],
  ['a proxy', /proxy-url/, (c) => (cluster(c)['proxy-url'] = 'http://127.0.0.1:1')],
  ['plain http', /https/, (c) => (cluster(c).server = 'http://127.0.0.1:1')],
  ['a metadata address', /metadata|link-local/i, (c) => (cluster(c).server = 'https://169.254.169.254')],
]

test('what a kubeconfig must not do is refused, each with its sentence, and cannot be saved', async ({ page }) => {
  await page.goto('/clusters/new')
  const field = page.getByRole('textbox', { name: 'Kubeconfig', exact: true })
  const refused = page.getByRole('alert').filter({ hasText: 'Refused:' })
  for (const [what, sentence, change] of REFUSED) {
    await test.step(what, async () => {
      await field.fill(hostile(change))
      await expect(refused).toContainText(sentence)
      await expect(page.getByRole('button', { name: 'Test the connection' })).toHaveCount(0)
    })
  }
  await field.fill('a: b: c')
  await expect(page.getByText(/not valid YAML/)).toBeVisible()
  await field.fill(`# ${'x'.repeat(257 * 1024)}`)
  await expect(page.getByText(/larger than 256 KiB/)).toBeVisible()
  await field.fill(hostile((c) => c.contexts.push({ ...c.contexts[0]!, name: 'second' })))
  await page.getByLabel('Context').selectOption('second')
  await expect(page.getByText('Drydock would keep, and nothing else:')).toBeVisible()
})

test('a pasted cluster is tested, saved, and says what was found', async ({ page }) => {
  await connect(page, pasted)
  await expect(chip(page, 'connected')).toBeVisible({ timeout: 30_000 })
  const found = page.locator('section').filter({ has: page.getByRole('heading', { name: 'What Drydock found' }) })
  await expect(found).toContainText(/Kubernetes v1\.\d+\.\d+, Cluster API v1\.\d+\.\d+/)
  await expect(found).toContainText('In-place updates are on')
  await expect(page.getByRole('row').filter({ hasText: /^machines\.cluster\.x-k8s\.io/ })).toContainText('watching')
  await expect(page.getByText('Drydock governs no group')).toBeVisible()
  const row = await activityRow(page, `cluster.added ${pasted.name}`, 'connected')
  await expect(row).toContainText('cluster.added')
  const secret = /token: (\S{12})/.exec(pasted.kubeconfig)?.[1]
  if (secret) expect(await page.content()).not.toContain(secret)
})

test('the latch is shown before it is installed, and is there afterwards', async ({ page }) => {
  await page.goto('/clusters')
  await page.getByRole('link', { name: pasted.name }).click()
  await page.getByRole('button', { name: 'Choose and install…' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Which groups').selectOption('object-label')
  await expect(sheet.locator('pre')).toContainText('kind: MutatingAdmissionPolicy')
  await expect(sheet.locator('pre')).toContainText('drydock.dev/governed')
  const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
  expect(await pasted.admin.list(policies)).toHaveLength(0)
  await sheet.getByRole('button', { name: 'Install the latch' }).click()
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Drydock governs labelled groups')).toBeVisible()
  await expect(chip(page, 'intact')).toBeVisible()
  expect((await pasted.admin.list(policies)).length).toBeGreaterThan(0)
  const row = await activityRow(page, `latch.installed ${pasted.name}`, 'installed the latch on')
  await expect(row).toContainText('latch.installed')
})

test('a latch that somebody took away is put back and on record, and the page follows', async ({ page }) => {
  const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
  const before = (await pasted.admin.list(policies)).length
  await page.goto('/clusters')
  await page.getByRole('link', { name: pasted.name }).click()
  await expect(chip(page, 'intact')).toBeVisible()
  for (const { metadata } of await pasted.admin.list(policies))
    await pasted.admin.remove(`${policies}/${metadata.name}`)
  await page.getByRole('button', { name: 'Check now' }).click()
  // The check tells the keeper: nobody has to press anything, and what was seen does not stay on the page.
  await expect.poll(async () => (await pasted.admin.list(policies)).length, { timeout: 30_000 }).toBe(before)
  await expect(chip(page, 'intact')).toBeVisible({ timeout: 30_000 })
  await activityRow(page, `latch.repaired ${pasted.name}`, 'repaired the latch on')
})

test('a dropped file is read, and disconnecting says first what it does', async ({ page }) => {
  await page.goto('/clusters/new')
  const file = await page.evaluateHandle(
    (text) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], 'tidal.kubeconfig'))
      return transfer
    },
    readFileSync(dropped.kubeconfigFile, 'utf8'),
  )
  await page.getByRole('textbox', { name: 'Kubeconfig', exact: true }).dispatchEvent('drop', { dataTransfer: file })
  await saveConnection(page, dropped.name)
  await expect(page.getByText(/OpenShift 4\.\d+\.\d+/).first()).toBeVisible({ timeout: 30_000 })

  await page.getByRole('button', { name: `Disconnect ${dropped.name}…` }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByText('What Drydock will do')).toBeVisible()
  await expect(sheet.getByText('Drydock holds nothing here')).toBeVisible()
  const go = sheet.getByRole('button', { name: 'Disconnect', exact: true })
  await expect(go).toBeDisabled()
  await sheet.getByLabel(`Type ${dropped.name} to confirm`).fill(dropped.name)
  await go.click()
  await expect(page).toHaveURL('/clusters')
  await expect(page.getByRole('row').filter({ hasText: dropped.name })).toContainText('disconnected')

  // Its page says what is left, and neither what is true no more nor what cannot be done.
  await page.getByRole('link', { name: dropped.name, exact: true }).click()
  await expect(page.getByRole('heading', { name: 'What is left' })).toBeVisible()
  await expect(page.getByText('No watch is running.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Connect again…' }).click()
  const again = page.getByRole('dialog')
  await again.getByLabel('Kubeconfig', { exact: true }).fill(dropped.kubeconfig)
  await again.getByRole('button', { name: 'Test the connection' }).click()
  await again.getByRole('button', { name: 'Connect again', exact: true }).click()
  await expect(again.getByRole('listitem').filter({ hasText: 'Seen in the watch' })).toContainText('✓', {
    timeout: 30_000,
  })
  await again.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('heading', { name: 'What is left' })).toHaveCount(0)
  await expect(chip(page, 'connected')).toBeVisible()
})

test('a cluster that goes away is said to be unreachable', async ({ page }) => {
  await page.goto('/clusters')
  await page.getByRole('link', { name: pasted.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: pasted.name })).toBeVisible()
  await expect(chip(page, 'connected')).toBeVisible()
  await pasted.end()
  await expect(chip(page, 'unreachable')).toBeVisible({ timeout: 45_000 })
  await expect(page.getByRole('cell', { name: /backoff|retry/ }).first()).toBeVisible()
})

test('a cluster that is gone for good is forgotten without being asked', async ({ page }) => {
  await page.goto('/clusters')
  await page.getByRole('link', { name: pasted.name }).click()
  await page.getByRole('button', { name: `Disconnect ${pasted.name}…` }).click()
  const sheet = page.getByRole('dialog')
  await expect(sheet.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await sheet.getByRole('button', { name: 'It is gone…' }).click()
  await sheet.getByLabel(`Type ${pasted.name} to confirm`).fill(pasted.name)
  await sheet.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await expect(page).toHaveURL('/clusters')
  await expect(page.getByRole('row').filter({ hasText: pasted.name })).toContainText('disconnected')
  await page.getByRole('link', { name: pasted.name, exact: true }).click()
  await expect(page.getByText('The latch was left there, for labelled groups')).toBeVisible()
  await expect(page.getByText('Drydock governs labelled groups')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: /Update gate|Updaters|Streams/ })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /Remove|Repair|Register|Disconnect|Change what/ })).toHaveCount(0)
  expect(await seriousIn(page)).toEqual([])
  await activityRow(page, `cluster.disconnected ${pasted.name}`, 'disconnected')
})
