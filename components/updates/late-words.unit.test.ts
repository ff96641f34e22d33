import { expect, test } from 'vitest'
import type { LateHold } from '@/lib/services/changes/late-hold'
import { lateWords } from './late-words'

const NONE: LateHold = { there: 0, coming: 0, updating: 0, deleting: 0 }
const [MD, KCP] = ['MachineDeployment', 'KubeadmControlPlane']

test.each<[string, string, Partial<LateHold>, string]>([
  ['nothing', MD!, {}, 'No machine has begun.'],
  ['one that is there', MD!, { there: 1 }, '1 machine is as it wants already, and stays so. Nothing else begins.'],
  ['some that come', KCP!, { coming: 2 }, '2 machines are being made, and will be finished. Nothing else begins.'],
  ['one in place', MD!, { updating: 1 }, '1 machine is being updated in place, which goes on to its end. Nothing'],
  ['a worker that goes', MD!, { deleting: 1 }, '1 machine is being deleted, which goes on. Nothing else begins.'],
  ['one of a control plane that goes', KCP!, { deleting: 1 }, 'being deleted: that ends only when the group is let go'],
])('%s', (_what, kind, more, words) => {
  const said = lateWords(kind, { ...NONE, ...more }).join(' ')
  expect(said).toMatch(/^It was paused only after it had been stored\. /)
  expect(said).toContain(words)
})
