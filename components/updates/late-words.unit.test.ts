import { expect, test } from 'vitest'
import type { LateHold } from '@/lib/services/changes/late-hold'
import { lateWords } from './late-words'

const NONE: LateHold = { wanted: 4, before: 4, there: 0, coming: 0, updating: 0, deleting: 0, gone: [] }
const [MD, KCP] = ['MachineDeployment', 'KubeadmControlPlane']

test.each<[string, string, Partial<LateHold>, string]>([
  ['nothing', MD!, {}, 'All 4 machines from before are there: as far as that shows, none has begun.'],
  ['one machine', MD!, { wanted: 1, before: 1 }, 'Its machine from before is there: as far as that shows, it'],
  ['more than are wanted', MD!, { before: 5 }, 'All 5 machines from before are there: as far as that shows, none'],
  ['a group without machines', MD!, { wanted: 0, before: 0 }, 'The group has no machines.'],
  [
    'one that is gone',
    MD!,
    { before: 3 },
    '4 machines are wanted, and of those from before 3 are there: 1 may have been deleted by it already. Nothing else begins.',
  ],
  [
    'one that is gone, by name',
    MD!,
    { before: 3, gone: ['m-1'] },
    '1 may have been deleted by it already (m-1). Nothing',
  ],
  [
    'two, one of them by name',
    MD!,
    { before: 2, gone: ['m-1'] },
    '2 may have been deleted by it already (m-1 among them).',
  ],
  [
    'one that is gone, and one that somebody deleted and that came again',
    MD!,
    { before: 3, gone: ['m-1', 'm-2'] },
    '1 may have been deleted by it already. Nothing',
  ],
  [
    'all that there was is gone',
    MD!,
    { wanted: 1, before: 0 },
    '1 machine is wanted, and of those from before none is there: 1 may have been deleted by it already.',
  ],
  [
    'one that is gone, and its successor',
    MD!,
    { before: 3, there: 1 },
    '1 machine is as it wants already, and stays so. 4 machines are wanted, and of those from before 3 are there: 1 may',
  ],
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
