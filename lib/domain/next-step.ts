/** What to do about an error that Cluster API or OpenShift leaves to people, by what they write. */
const STEPS: [written: RegExp, step: string][] = [
  [
    /disruption budget/i,
    'Make room in the disruption budget: bring its unready pods back, or run one more replica. The drain then goes on by itself. To go on without, and cut these pods off, annotate the Machine with machine.cluster.x-k8s.io/exclude-node-draining.',
  ],
  [
    /^Provisioned, without a node/,
    'Read the console of the instance: it boots and does not join. Where its boot image is too old, bring that up to date, then delete the Machine; its machine set makes a new one.',
  ],
]

/** The next step, where one is known: no advice is better than a guess. */
export const nextStep = (error: string | null): string | undefined =>
  STEPS.find(([written]) => error && written.test(error))?.[1]
