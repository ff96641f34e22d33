import { expect, test } from 'vitest'
import { useTestDatabase } from '@/lib/db/testing'
import { HELD } from '@/lib/domain/latch/names'
import { KubeError } from '@/lib/kubernetes/types'
import { approveChange } from '@/lib/services/changes/approve-change'
import { kubeClientFor } from '@/lib/services/clusters/connection'
import { getUpdate } from '@/lib/services/fleet/list-updates'
import { bootstrapOf, pauseCluster } from '@/testenv/bootstrap-template'
import { annotations, audited, expectHeld, expectReleased, inputFor, stateOf } from '@/testenv/deciding'
import { newestOf, reconnected } from '@/testenv/reconnected'
import { ada, timedCluster } from '@/testenv/timed'
import { heldWords } from '@/components/updates/held-words'

useTestDatabase()
const { at, look, slow } = timedCluster()

test.each(['before', 'after'])(
  'let go, and its template edited %s its cluster is connected again: it is held, as where nobody disconnected it',
  async (when) => {
    let held = await slow()
    const { admin } = at.cluster
    await pauseCluster(admin, held)
    // As it is read there, with its whole configuration.
    await look(held)
    held = await newestOf(held)
    await expectReleased(held, (await approveChange(ada, inputFor(held))).id)
    await look(held)
    expect(await stateOf(held)).toBe('running')
    const bootstrap = await bootstrapOf(admin, held)
    const edit = () => bootstrap.edit(bootstrap.name, 'echo two')
    if (when === 'before') await edit()
    await reconnected(held)
    await look(held)
    held = await newestOf(held)
    const shown = async () => {
      const page = await getUpdate(ada, held.change.id)
      return [page.unapproved, heldWords(page)]
    }
    const how = when === 'before' ? 'the configuration of its machines was edited since' : 'that let it go'
    const words = `Ada approved it replacing before its cluster was disconnected, and ${how}.`
    expect([...(await shown()), ...(await audited(held))]).toEqual(['left', words, 'change.left ok'])
    if (when === 'after') await edit()
    const client = await kubeClientFor(at.clusterId)
    const { patch } = client
    client.patch = () => Promise.reject(new KubeError(500, { kind: 'Status', code: 500, message: 'no' }, 'PATCH'))
    await look(held).finally(() => (client.patch = patch))
    // What its times say of what was let go before counts for it all the same.
    expect((await shown())[0]).toBe('left')
    expect(await audited(held)).toContain('change.not-held ok')
    for (const _look of [1, 2]) await look(held)
    await expectHeld(held)
    expect(await stateOf(held)).toBe('waiting')
    expect((await annotations(held))[HELD]).toBe(
      'Stopped by Drydock: the configuration of its machines was edited since it was let go',
    )
  },
)
