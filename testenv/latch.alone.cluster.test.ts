import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import type { Prisma } from '@/lib/db/generated/client'
import { HELD, PAUSED, RELEASE, TRIAL, TRIAL_OF_POLICY } from '@/lib/domain/latch/names'
import { closeClients } from '@/lib/services/clusters/connection'
import { addCluster } from '@/lib/services/clusters/add-cluster'
import { systemCtx, type Ctx } from '@/lib/services/context'
import { checkLatch } from '@/lib/services/latch/check-latch'
import { installLatch } from '@/lib/services/latch/install-latch'
import { previewLatch } from '@/lib/services/latch/preview-latch'
import { repairLatch } from '@/lib/services/latch/repair-latch'
import { removeLatch } from '@/lib/services/latch/remove-latch'
import { setGovernance } from '@/lib/services/latch/set-governance'
import type { LatchStatus } from '@/lib/services/latch/status'
import { startLatchKeeper } from '@/worker/latch-keeper'
import { handleLatchReview } from '@/worker/latch-webhook'
import { makePki, type Pki } from './pki'
import { until } from './process'
import { realTestCluster } from './real'
import { annotation, expectFree, expectHeld, MD, refusal, release } from './suites/watching'
import { clientOf, writeAs } from './suites/as'
import type { RealTestCluster } from './test-cluster'

// Alone: these install, change and remove what holds for the whole cluster.
const admission = (plural: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', plural })
const ctx: Ctx = { actor: { kind: 'user', id: 'u1', name: 'Ada', role: 'admin' } }
const OLD = 'v1.34.0'
const to = (version: string) => ({ spec: { template: { spec: { version } } } })

describe('the latch’s verbs on the real API server', () => {
  useTestDatabase()
  let cluster: RealTestCluster
  let clusterId: string
  let ns: string
  const clusterRow = () => db().managementCluster.findUniqueOrThrow({ where: { id: clusterId } })
  const audited = async () =>
    (await db().auditEvent.findMany({ orderBy: { id: 'asc' } })).map((e) => `${e.action}:${e.result}`)
  const change = (version: string) => cluster.admin.patch(MD, 'one-md', ns, 'merge', to(version))

  beforeAll(async () => {
    cluster = await realTestCluster()
    ns = await cluster.namespace()
    await cluster.workloadCluster({ namespace: ns, name: 'one', version: OLD, workers: { replicas: 1 } })
    clusterId = (await addCluster(ctx, { name: 'real', kubeconfig: cluster.kubeconfig })).clusterId
    // The watch would write this row: the latch tries itself on governed groups.
    const md = await cluster.admin.get(MD, 'one-md', ns)
    await db().group.create({
      data: {
        id: md.metadata.uid,
        clusterId,
        kind: 'MachineDeployment',
        apiVersion: md.apiVersion,
        namespace: ns,
        name: 'one-md',
        workloadCluster: 'one',
        governed: true,
        resourceVersion: md.metadata.resourceVersion,
        createdAt: md.metadata.creationTimestamp,
      },
    })
  })
  afterAll(async () => {
    await closeClients()
    await cluster?.stop()
  })

  test('the preview says what would be written, and writes nothing', async () => {
    const preview = await previewLatch(ctx, { clusterId, governs: 'all' })
    expect(preview.form).toBe('policy-v1')
    expect(preview.yaml).toContain('kind: MutatingAdmissionPolicy')
    expect(preview.strength.join(' ')).toContain('paused in that same write')
    expect((await cluster.admin.list(admission('mutatingadmissionpolicies'), undefined)).items).toEqual([])
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'none' })
  })

  test('installing governs, proves itself by a dry run, and is audited', async () => {
    const { status, answers } = await installLatch(ctx, { clusterId, governs: 'all' })
    expect(status).toMatchObject({ state: 'intact', proved: true })
    expect(answers).toHaveLength(8)
    expectHeld(await change('v1.34.1'))
    expect(await clusterRow()).toMatchObject({ latchForm: 'policy' })
    expect(await audited()).toEqual(expect.arrayContaining(['latch.install:ok', 'latch.installed:ok']))
  })

  test('the gate’s registration is neither deleted nor redirected by others, unless they mean it', async () => {
    const { admin } = cluster
    const configs = { group: 'runtime.cluster.x-k8s.io', version: 'v1beta2', plural: 'extensionconfigs' }
    const registration = (name: string) => ({
      apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
      kind: 'ExtensionConfig',
      // Paused: this is about the guard, nobody needs to discover it.
      metadata: { name, annotations: { [PAUSED]: 'test' } },
      spec: { clientConfig: { url: 'https://127.0.0.1:1/', caBundle: Buffer.from('x').toString('base64') } },
    })
    const drydock = cluster.client('drydock')
    await drydock.create(configs, registration('drydock'))
    await admin.create(configs, registration('theirs'))
    const dryRun = { dryRun: true }
    await until(
      'the guard to be in force',
      async () => (await refusal(admin.delete(configs, 'drydock', undefined, dryRun))).code === 403,
    )
    const elsewhere = { spec: { clientConfig: { url: 'https://127.0.0.1:2/' } } }
    expect(await refusal(admin.patch(configs, 'drydock', undefined, 'merge', elsewhere))).toMatchObject({ code: 403 })
    expect(await refusal(admin.delete({ ...configs, version: 'v1alpha1' }, 'drydock'))).toMatchObject({
      code: 403,
      message: expect.stringContaining('Cluster API replaces machines unasked') as string,
    })
    expect((await drydock.patch(configs, 'drydock', undefined, 'merge', elsewhere, dryRun)).spec).toMatchObject(
      elsewhere.spec,
    )
    await admin.delete(configs, 'theirs')
    await admin.patch(configs, 'drydock', undefined, 'merge', {
      metadata: { annotations: { [RELEASE]: 'decommissioned' } },
    })
    await admin.delete(configs, 'drydock')
  })

  test('removing is refused while something is held, with its name', async () => {
    const refused = await refusal(removeLatch(ctx, { clusterId }))
    expect(refused).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`MachineDeployment ${ns}/one-md`) as string,
    })
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'intact' })
  })

  test('what an administrator deletes or weakens is found and put back by the keeper', async () => {
    const policies = admission('mutatingadmissionpolicies')
    await cluster.admin.delete(policies, 'drydock-machinedeployments')
    // By another field manager: server-side apply alone could not take this back.
    const path = `/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/drydock-kubeadmcontrolplanes?fieldManager=kubectl-edit`
    const exclude = { spec: { matchConstraints: { namespaceSelector: { matchLabels: { never: 'so' } } } } }
    const edited = await writeAs(cluster.adminKubeconfig, 'PATCH', path, exclude, 'application/merge-patch+json')
    expect(edited.code).toBe(200)
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'missing' })
    const keeper = startLatchKeeper({ clusters: () => [clusterId], intervalMs: 60_000 })
    try {
      await until(
        'the keeper to repair',
        async () => ((await clusterRow()).latchStatus as unknown as LatchStatus).state === 'intact',
      )
      // Its next look of itself is a minute away: it is told of what is deleted by now.
      const uids = async () => (await cluster.admin.list(policies, undefined)).items.map(({ metadata }) => metadata.uid)
      const before = await uids()
      await cluster.admin.delete(policies, 'drydock-machinedeployments')
      await until('it to be back', async () => {
        const now = await uids()
        return now.length === before.length && now.some((uid) => !before.includes(uid))
      })
    } finally {
      await keeper.stop()
    }
    expect(await audited()).toContain('latch.repaired:ok')
    expectHeld(await cluster.admin.get(MD, 'one-md', ns))
  })

  test('an object of somebody else under our name is not overwritten', async () => {
    const bindings = admission('mutatingadmissionpolicybindings')
    const label = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'somebody' } } }
    await cluster.admin.patch(bindings, 'drydock-machinedeployments', undefined, 'merge', label)
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'not-ours' })
    expect(await refusal(installLatch(ctx, { clusterId, governs: 'all' }))).toMatchObject({ code: 'conflict' })
    await cluster.admin.patch(bindings, 'drydock-machinedeployments', undefined, 'merge', {
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'drydock' } },
    })
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'intact' })
  })

  test('governing by object label: the binding follows, unlabelled groups roll, what is held stays guarded', async () => {
    await setGovernance(ctx, {
      clusterId,
      governs: 'object-label',
      labelKey: 'drydock.dev/governed',
      labelValue: 'yes',
    })
    const off = { metadata: { annotations: { [HELD]: null } } }
    expect(await refusal(cluster.admin.patch(MD, 'one-md', ns, 'merge', off))).toMatchObject({ code: 403 })
    const drydock = clientOf(cluster.kubeconfig)
    await cluster.admin.patch(MD, 'one-md', ns, 'merge', to(OLD))
    await release(drydock, MD, 'one-md', ns)
    const probe = () => cluster.admin.patch(MD, 'one-md', ns, 'merge', to('v1.34.9'), { dryRun: true })
    await until('the binding to follow', async () => annotation(await probe(), HELD) === undefined)
    await cluster.admin.patch(MD, 'one-md', ns, 'merge', { metadata: { labels: { 'drydock.dev/governed': 'yes' } } })
    expectHeld(await probe())
    // The label taken away in the same write does not help.
    const sneaky = { metadata: { labels: { 'drydock.dev/governed': null } }, ...to('v1.34.9') }
    expectHeld(await cluster.admin.patch(MD, 'one-md', ns, 'merge', sneaky, { dryRun: true }))
    await drydock.close()
  })

  test('removed, nothing is left and nothing is held', async () => {
    await removeLatch(ctx, { clusterId, held: [] })
    const kinds = [
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ]
    for (const plural of kinds) expect((await cluster.admin.list(admission(plural), undefined)).items).toEqual([])
    expect(await checkLatch(ctx, { clusterId })).toMatchObject({ state: 'none' })
  })

  describe('the webhook form, for API servers without MutatingAdmissionPolicy', () => {
    let server: Server
    let pki: Pki
    let webhookUrl: string
    const serve = async (port = 0): Promise<number> => {
      server = createServer({ cert: pki.certPem, key: pki.keyPem }, (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () =>
          response.end(JSON.stringify(handleLatchReview(JSON.parse(Buffer.concat(chunks).toString())))),
        )
      })
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    }
    const close = () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
    afterAll(async () => server?.listening && (await close()))

    test('holds the same, refuses only rollouts while the gate is gone, and guards its configuration', async () => {
      pki = await makePki()
      const port = await serve()
      const { discovery } = await clusterRow()
      const older = { ...(discovery as object), latch: { policy: null, webhook: true, guard: true } }
      await db().managementCluster.update({
        where: { id: clusterId },
        data: { discovery: older as Prisma.InputJsonValue },
      })
      const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)]
      await db().gateCertificate.create({
        data: {
          role: 'ca',
          certPem: pki.caPem,
          sealedKey: Buffer.from('x'),
          keyId: 'k',
          hosts: [],
          notBefore,
          notAfter,
        },
      })
      webhookUrl = `https://127.0.0.1:${port}/latch`
      // Nothing listens at the configured address: refusing everything proves nothing.
      const unheard = await installLatch(ctx, { clusterId, governs: 'all' })
      expect(unheard.status).toMatchObject({ state: 'unreachable', proved: null })
      const { status } = await installLatch(ctx, { clusterId, governs: 'all', webhookUrl })
      expect(status).toMatchObject({ state: 'intact', proved: true, webhookUrl })
      expectHeld(await change('v1.34.1'), /to version v1\.34\.1/)

      const tamper = () =>
        refusal(
          cluster.admin.delete(admission('mutatingwebhookconfigurations'), 'drydock-machinedeployments', undefined, {
            dryRun: true,
          }),
        )
      await until('the guard to be in force', async () => (await tamper()).code === 403, { ms: 20_000 })
      expect((await tamper()).message).toContain('Drydock’s latch')

      await close()
      expect(await refusal(change('v1.34.2'))).toMatchObject({
        code: 500,
        message: expect.stringContaining('machinedeployments.latch.drydock.dev') as string,
      })
      const scaled = await cluster.admin.patch(MD, 'one-md', ns, 'merge', {
        spec: { replicas: 1 },
        metadata: { labels: { a: 'b' } },
      })
      expect(scaled.metadata.labels).toMatchObject({ a: 'b' })
      await serve(port)
      expectHeld(await change('v1.34.2'))

      const held = [`MachineDeployment ${ns}/one-md`]
      await removeLatch(ctx, { clusterId, held })
      expectHeld(await cluster.admin.get(MD, 'one-md', ns))
      const freed = { metadata: { annotations: { [HELD]: null, 'cluster.x-k8s.io/paused': null } } }
      await until(
        'the guard to be gone',
        async () => (await refusal(cluster.admin.patch(MD, 'one-md', ns, 'merge', freed))).code === 200,
      )
      expectFree(await cluster.admin.get(MD, 'one-md', ns))
    })

    test('policies, once they are served, come beside the webhook, and it goes only when they hold alone', async () => {
      const discovery = (await clusterRow()).discovery as object
      const serves = (policy: 'v1' | null) => ({ ...discovery, latch: { policy, webhook: true, guard: true } })
      const { status } = await installLatch(ctx, { clusterId, governs: 'all', webhookUrl })
      expect(status).toMatchObject({ state: 'intact', proved: true })
      const trial = { metadata: { annotations: { [TRIAL]: TRIAL_OF_POLICY } }, ...to('v1.34.8') }
      const tried = () => cluster.admin.patch(MD, 'one-md', ns, 'merge', trial, { dryRun: true })
      expect(annotation(await tried(), HELD)).toBeUndefined()
      const webhooks = async () =>
        (await cluster.admin.list(admission('mutatingwebhookconfigurations'), undefined)).items
      const ours = (await webhooks()).filter((o) => o.metadata.name.startsWith('drydock-')).length
      expect(ours).toBe(2)

      const data = { discovery: serves('v1') as Prisma.InputJsonValue }
      await db().managementCluster.update({ where: { id: clusterId }, data })
      const beside = { state: 'intact', proved: true, beside: true }
      expect(await repairLatch(systemCtx('latch-keeper'), { clusterId })).toMatchObject(beside)
      expectHeld(await tried())
      expect(await repairLatch(systemCtx('latch-keeper'), { clusterId })).toMatchObject(beside)
      expect(await repairLatch(ctx, { clusterId })).toMatchObject({ state: 'intact', proved: true, beside: false })
      expect((await webhooks()).filter((o) => o.metadata.name.startsWith('drydock-'))).toEqual([])
      // Also what an older API server did not tell of is removed.
      const older = { discovery: serves(null) as Prisma.InputJsonValue }
      await db().managementCluster.update({ where: { id: clusterId }, data: older })
      await removeLatch(ctx, { clusterId, held: [] })
      expect((await cluster.admin.list(admission('mutatingadmissionpolicies'), undefined)).items).toEqual([])
    })
  })
})
